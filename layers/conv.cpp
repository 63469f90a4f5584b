// Convolution. With N images, C input and M output channels, G groups, input size I, output size O and kernel
// size K (each the product over the spatial axes):
//   MACs     N x M x O x (C / G) x K
//   weights  M x (C / G) x K, and M for the bias
//   elements N x C x I in, N x M x O out
// The gradients of input and weights are convolutions with the same MACs. A deformable convolution counts the
// same; its sampling is not in it.

#include <algorithm>
#include <optional>
#include <string>

#include "layers/kinds.h"
#include "layers/lowering.h"
#include "layers/window.h"
#include "layers/work.h"
#include "sim/core/error.h"

namespace layersim {
namespace {

// The first parameters; those of the window follow.
enum ConvSize : std::size_t { kBatch, kInChannels, kOutChannels, kGroups, kBias, kWindow };

// Where an operator has its inputs; 0 for the bias: it has none.
struct ConvInputs {
  std::size_t weight = 1;
  std::size_t bias = 2;
  bool channels_last = false;
};

ConvInputs conv_inputs(const ShapeContext& context) {
  const std::string& op = context.node().op;
  if (op == "QLinearConv") return {3, 8, context.int_or("channels_last", 0) != 0};
  if (op == "ConvInteger") return {1, 0, false};
  if (op == "DeformConv") return {1, 3, false};
  return {1, 2, op == "NhwcConv" || op == "NhwcFusedConv"};
}

struct ConvGeometry {
  std::int64_t batch;
  std::int64_t in_channels;
  std::int64_t out_channels;
  std::int64_t groups;
  Window window;
};

void check_channels(const Shape& input, const Shape& weight, std::int64_t groups, std::size_t channel_axis) {
  const std::int64_t channels = input[channel_axis];
  if (channels < 0 || weight[1] < 0) return;
  if (weight[1] <= kMaxElements / groups && channels == weight[1] * groups) return;
  const std::int64_t expected = weight[1] <= kMaxElements / groups ? weight[1] * groups : kMaxElements;
  std::string text = "input has " + std::to_string(channels) + " channels (axis " +
                     std::to_string(channel_axis) + " of " + to_string(input) + "), weight " +
                     to_string(weight) + " expects " + std::to_string(expected);
  if (groups > 1) text += " (" + std::to_string(groups) + " groups)";
  // The last axis first: files of TensorFlow have their channels there.
  for (std::size_t axis = input.size() - 1; axis > 0; --axis) {
    if (axis == channel_axis || input[axis] != expected) continue;
    text += "; axis " + std::to_string(axis) + " has " + std::to_string(expected) + ": is the layout " +
            (axis + 1 == input.size() ? "channels-last (NHWC)?" : "another one?");
    break;
  }
  throw bad_input(text);
}

ConvGeometry conv_geometry(const ShapeContext& context) {
  const ConvInputs inputs = conv_inputs(context);
  const Shape& input = context.shape(0, 3);
  const Shape& weight = context.shape(inputs.weight, 3);
  if (weight.size() != input.size()) {
    throw bad_input("input " + to_string(input) + " and weight " + to_string(weight) + " differ in rank");
  }
  const std::int64_t groups = context.int_or("group", 1);
  if (groups < 1) throw bad_input("group is " + std::to_string(groups));
  const std::size_t channel_axis = inputs.channels_last ? input.size() - 1 : 1;
  check_channels(input, weight, groups, channel_axis);
  if (weight[0] > 0 && weight[0] % groups != 0) {
    throw bad_input("group " + std::to_string(groups) + " does not divide the " + std::to_string(weight[0]) +
                    " output channels");
  }
  const auto spatial_begin = input.begin() + (inputs.channels_last ? 1 : 2);
  const auto spatial_size = static_cast<std::ptrdiff_t>(input.size()) - 2;
  Shape kernel(weight.begin() + 2, weight.end());
  if (const auto given = context.ints_or("kernel_shape", {}); !given.empty()) {
    if (is_known(kernel) && given != kernel) {
      throw bad_input("kernel_shape " + to_string(given) + " contradicts the weight " + to_string(weight));
    }
    kernel = given;
  }
  if (!is_known(kernel)) throw ShapeUnknown{};
  return {input[0], input[channel_axis], weight[0], groups,
          read_window(context, Shape(spatial_begin, spatial_begin + spatial_size), kernel,
                      WindowKind::convolution)};
}

DType output_type(const ShapeContext& context) {
  const std::string& op = context.node().op;
  if (op == "ConvInteger") return DType::i32;
  if (op == "QLinearConv" && context.has_input(7)) return context.dtype(7);
  return context.dtype(0);
}

void infer_conv(ShapeContext& context) {
  const ConvGeometry geometry = conv_geometry(context);
  Shape output{geometry.batch};
  const bool channels_last = conv_inputs(context).channels_last;
  if (!channels_last) output.push_back(geometry.out_channels);
  for (const WindowAxis& axis : geometry.window) output.push_back(axis.out);
  if (channels_last) output.push_back(geometry.out_channels);
  context.set_output(0, output_type(context), std::move(output));
}

void lower_conv(LoweringContext& context) {
  const ConvInputs inputs = conv_inputs(context);
  (void)context.full_shape(0);
  (void)context.full_shape(inputs.weight);
  const ConvGeometry geometry = conv_geometry(context);
  const bool bias = inputs.bias != 0 && context.has_input(inputs.bias);
  Problem problem = make_problem(conv_kind(), context.dtype(0),
                                 {{"batch", geometry.batch},
                                  {"in_channels", geometry.in_channels},
                                  {"out_channels", geometry.out_channels},
                                  {"groups", geometry.groups},
                                  {"bias", bias ? 1 : 0}});
  problem.sizes.resize(kWindow);
  append_window(problem.sizes, geometry.window);
  problem.weight_dtype = context.weight_dtype(inputs.weight);
  if (const std::string activation = context.text_or("activation", ""); !activation.empty()) {
    problem.activation = activation_of_operator(activation).value_or(Activation::other);
  }
  context.add(std::move(problem));
}

LayerWork conv_work(const Problem& problem) {
  const double outputs =
      at(problem, kBatch) * at(problem, kOutChannels) * window_product(problem, kWindow, WindowSize::out);
  const double taps =
      at(problem, kInChannels) / at(problem, kGroups) * window_product(problem, kWindow, WindowSize::kernel);
  return weighted_product_work(problem, {.macs = outputs * taps,
                                         .input_elements = at(problem, kBatch) * at(problem, kInChannels) *
                                                           window_product(problem, kWindow, WindowSize::in),
                                         .weight_elements = at(problem, kOutChannels) * taps,
                                         .bias_elements = at(problem, kBias) * at(problem, kOutChannels),
                                         .output_elements = outputs});
}

void derive_conv(Problem& problem) {
  const std::int64_t groups = problem.sizes.at(kGroups);
  if (groups < 1 || problem.sizes.at(kInChannels) % groups != 0 ||
      problem.sizes.at(kOutChannels) % groups != 0) {
    throw bad_input("group " + std::to_string(groups) + " does not divide the channels");
  }
  derive_window(problem, kWindow, WindowKind::convolution);
}

std::vector<Parameter> conv_parameters() {
  std::vector<Parameter> parameters{{"batch", "image", 1, 256, Draw::log_uniform},
                                    {"in_channels", "channel", 1, 4096, Draw::log_uniform},
                                    {"out_channels", "channel", 1, 4096, Draw::log_uniform},
                                    {"groups", "group", 1, 4096, Draw::log_uniform},
                                    {"bias", "flag", 0, 1, Draw::uniform}};
  append_window_parameters(parameters, {});
  return parameters;
}

}  // namespace

const LayerKind& conv_kind() {
  static const LayerKind kKind{
      .name = "conv",
      .summary = "convolution over 1 to 3 spatial axes, grouped and depthwise included",
      .parameters = conv_parameters(),
      .operators = {{"Conv", infer_conv, lower_conv},
                    {"ConvInteger", infer_conv, lower_conv},
                    {"DeformConv", infer_conv, lower_conv},
                    {"QLinearConv", infer_conv, lower_conv},
                    {"QLinearConv", infer_conv, lower_conv, "com.microsoft"},
                    {"FusedConv", infer_conv, lower_conv, "com.microsoft"},
                    {"NhwcConv", infer_conv, lower_conv, "com.microsoft"},
                    {"NhwcFusedConv", infer_conv, lower_conv, "com.microsoft"},
                    {"Conv", infer_conv, lower_conv, "com.microsoft.nchwc"}},
      .work = conv_work,
      .derive = derive_conv,
      .fuses_activation = true};
  return kKind;
}

}  // namespace layersim
