// Transposed convolution: each input element is multiplied by the kernels of its group and added into the
// output. With N images, C input and M output channels, G groups, input size I, output size O and kernel size
// K:
//   MACs     N x C x I x (M / G) x K   (from the input size, since every input element is used in full)
//   weights  C x (M / G) x K, and M for the bias

#include <string>

#include "layers/kinds.h"
#include "layers/lowering.h"
#include "layers/window.h"
#include "layers/work.h"
#include "sim/core/error.h"

namespace layersim {
namespace {

// The first parameters; those of the window follow.
enum ConvTransposeSize : std::size_t { kBatch, kInChannels, kOutChannels, kGroups, kBias, kWindow };

struct Geometry {
  std::int64_t batch;
  std::int64_t in_channels;
  std::int64_t out_channels;
  std::int64_t groups;
  Window window;
};

Geometry geometry_of(const ShapeContext& context) {
  const Shape& input = context.shape(0, 3);
  const Shape& weight = context.shape(1, 3);
  if (weight.size() != input.size()) {
    throw bad_input("input " + to_string(input) + " and weight " + to_string(weight) + " differ in rank");
  }
  const std::int64_t groups = context.int_or("group", 1);
  if (groups < 1 || groups > kMaxElements) throw bad_input("group is " + std::to_string(groups));
  if (input[1] >= 0 && weight[0] >= 0 && input[1] != weight[0]) {
    throw bad_input("input has " + std::to_string(input[1]) + " channels (axis 1 of " + to_string(input) +
                    "), weight " + to_string(weight) + " expects " + std::to_string(weight[0]));
  }
  if (weight[0] > 0 && weight[0] % groups != 0) {
    throw bad_input("group " + std::to_string(groups) + " does not divide the " + std::to_string(weight[0]) +
                    " input channels");
  }
  if (!is_known(weight)) throw ShapeUnknown{};
  if (weight[1] > kMaxElements / groups) throw bad_input("too many output channels");
  const Shape kernel(weight.begin() + 2, weight.end());
  if (const auto given = context.ints_or("kernel_shape", kernel); given != kernel) {
    throw bad_input("kernel_shape " + to_string(given) + " contradicts the weight " + to_string(weight));
  }
  return {input[0], input[1], weight[1] * groups, groups,
          read_window(context, Shape(input.begin() + 2, input.end()), kernel, WindowKind::transposed)};
}

void infer_conv_transpose(ShapeContext& context) {
  const Geometry geometry = geometry_of(context);
  Shape output{geometry.batch, geometry.out_channels};
  for (const WindowAxis& axis : geometry.window) output.push_back(axis.out);
  context.set_output(0, context.dtype(0), std::move(output));
}

void lower_conv_transpose(LoweringContext& context) {
  (void)context.full_shape(0);
  const Geometry geometry = geometry_of(context);
  Problem problem = make_problem(conv_transpose_kind(), context.dtype(0),
                                 {{"batch", geometry.batch},
                                  {"in_channels", geometry.in_channels},
                                  {"out_channels", geometry.out_channels},
                                  {"groups", geometry.groups},
                                  {"bias", context.has_input(2) ? 1 : 0}});
  problem.sizes.resize(kWindow);
  append_window(problem.sizes, geometry.window);
  problem.weight_dtype = context.weight_dtype(1);
  context.add(std::move(problem));
}

LayerWork conv_transpose_work(const Problem& problem) {
  const double inputs =
      at(problem, kBatch) * at(problem, kInChannels) * window_product(problem, kWindow, WindowSize::in);
  const double taps =
      at(problem, kOutChannels) / at(problem, kGroups) * window_product(problem, kWindow, WindowSize::kernel);
  return weighted_product_work(problem,
                               {.macs = inputs * taps,
                                .input_elements = inputs,
                                .weight_elements = at(problem, kInChannels) * taps,
                                .bias_elements = at(problem, kBias) * at(problem, kOutChannels),
                                .output_elements = at(problem, kBatch) * at(problem, kOutChannels) *
                                                   window_product(problem, kWindow, WindowSize::out)});
}

void derive_conv_transpose(Problem& problem) {
  const std::int64_t groups = problem.sizes.at(kGroups);
  if (groups < 1 || problem.sizes.at(kInChannels) % groups != 0 ||
      problem.sizes.at(kOutChannels) % groups != 0) {
    throw bad_input("group " + std::to_string(groups) + " does not divide the channels");
  }
  derive_window(problem, kWindow, WindowKind::transposed);
}

std::vector<Parameter> conv_transpose_parameters() {
  std::vector<Parameter> parameters{{"batch", "image", 1, 256, Draw::log_uniform},
                                    {"in_channels", "channel", 1, 2048, Draw::log_uniform},
                                    {"out_channels", "channel", 1, 2048, Draw::log_uniform},
                                    {"groups", "group", 1, 1, Draw::fixed},
                                    {"bias", "flag", 0, 1, Draw::uniform}};
  append_window_parameters(
      parameters,
      {.in_high = 256, .kernel_high = 7, .stride_high = 4, .pad_high = 3, .output_padding_high = 1});
  return parameters;
}

}  // namespace

const LayerKind& conv_transpose_kind() {
  static const LayerKind kKind{.name = "conv_transpose",
                               .summary = "transposed convolution (deconvolution) over 1 to 3 spatial axes",
                               .parameters = conv_transpose_parameters(),
                               .operators = {{"ConvTranspose", infer_conv_transpose, lower_conv_transpose}},
                               .work = conv_transpose_work,
                               .derive = derive_conv_transpose,
                               .fuses_activation = true};
  return kKind;
}

}  // namespace layersim
