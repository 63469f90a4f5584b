// Convolution and pooling.

#include <algorithm>

#include "sim/core/error.h"
#include "sim/import/torchscript/operator.h"

namespace layersim {
namespace {

using Ints = std::vector<std::int64_t>;

std::size_t spatial_axes(const TorchCall& call) {
  const std::size_t rank = call.shape(0).size();
  if (rank < 3) throw ShapeUnknown{};  // a single sample without a batch axis
  return rank - 2;
}

Ints both_ends(const Ints& pads) {
  Ints result = pads;
  result.insert(result.end(), pads.begin(), pads.end());
  return result;
}

// x, weight, bias, stride, padding, dilation, groups
void conv(TorchCall& call) {
  const std::size_t axes = spatial_axes(call);
  std::vector<Attribute> attributes{
      {"strides", call.ints(3, axes)}, {"dilations", call.ints(5, axes)}, {"group", call.integer(6)}};
  if (const std::string padding = call.text(4); padding.empty()) {
    attributes.push_back({"pads", both_ends(call.ints(4, axes))});
  } else {
    attributes.push_back({"auto_pad", std::string(padding == "same" ? "SAME_UPPER" : "VALID")});
  }
  call.give(call.emit("Conv", {call.tensor(0), call.tensor(1), call.optional_tensor(2)}, attributes));
}

void transposed(TorchCall& call, std::size_t output_padding, std::size_t groups, std::size_t dilation) {
  const std::size_t axes = spatial_axes(call);
  call.give(call.emit("ConvTranspose", {call.tensor(0), call.tensor(1), call.optional_tensor(2)},
                      {{"strides", call.ints(3, axes)},
                       {"pads", both_ends(call.ints(4, axes))},
                       {"output_padding", call.ints(output_padding, axes)},
                       {"group", call.integer(groups)},
                       {"dilations", call.ints(dilation, axes)}}));
}

// x, weight, bias, stride, padding, output padding, groups, dilation
void conv_transpose(TorchCall& call) { transposed(call, 5, 6, 7); }

// x, weight, bias, stride, padding, dilation, transposed, output padding, groups
void any_convolution(TorchCall& call) {
  if (call.flag(6)) return transposed(call, 7, 8, 5);
  const std::size_t axes = spatial_axes(call);
  call.give(call.emit("Conv", {call.tensor(0), call.tensor(1), call.optional_tensor(2)},
                      {{"strides", call.ints(3, axes)},
                       {"pads", both_ends(call.ints(4, axes))},
                       {"dilations", call.ints(5, axes)},
                       {"group", call.integer(8)}}));
}

std::vector<Attribute> pool_attributes(const TorchCall& call, std::size_t axes) {
  const Ints kernel = call.ints(1, axes);
  Ints strides = call.ints(2, axes);
  if (strides.empty()) strides = kernel;
  return {{"kernel_shape", kernel}, {"strides", strides}, {"pads", both_ends(call.ints(3, axes))}};
}

// x, kernel, stride, padding, dilation, ceil mode -> values (, indices)
void max_pool(TorchCall& call) {
  const std::size_t axes = spatial_axes(call);
  std::vector<Attribute> attributes = pool_attributes(call, axes);
  attributes.push_back({"dilations", call.ints(4, axes)});
  attributes.push_back({"ceil_mode", std::int64_t{call.flag(5)}});
  const bool indices = call.op().name.ends_with("indices");
  call.give(call.emit("MaxPool", {call.tensor(0)}, attributes, indices ? 2 : 1));
  if (indices) call.give(call.converter().last_output(1));
}

// x, kernel, stride, padding, ceil mode, count the padding
void average_pool(TorchCall& call) {
  std::vector<Attribute> attributes = pool_attributes(call, spatial_axes(call));
  attributes.push_back({"ceil_mode", std::int64_t{call.flag(4)}});
  attributes.push_back({"count_include_pad", std::int64_t{call.flag(5)}});
  call.give(call.emit("AveragePool", {call.tensor(0)}, attributes));
}

// x, output size: windows that share the input evenly.
void adaptive_pool(TorchCall& call) {
  const bool average = call.op().onnx == "AveragePool";
  const std::size_t axes = spatial_axes(call);
  const Shape input = call.shape(0);
  const TorchSequence* given = call[1].sequence();
  Ints kernel;
  Ints strides;
  bool global = true;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const std::int64_t in = input[axis + 2];
    const bool keeps = given != nullptr && axis < given->items.size() && given->items[axis].is_none();
    const std::int64_t out = keeps ? in : given == nullptr ? call.integer(1) : call.ints(1, axes).at(axis);
    if (in < 0) throw ShapeUnknown{};
    if (out < 1 || out > in) throw bad_input("pools " + to_string(input) + " to size " + std::to_string(out));
    strides.push_back(in / out);
    kernel.push_back(in - (out - 1) * strides.back());
    global = global && out == 1;
  }
  if (global) {
    call.give(call.emit(average ? "GlobalAveragePool" : "GlobalMaxPool", {call.tensor(0)}));
  } else {
    call.give(call.emit(call.op().onnx, {call.tensor(0)}, {{"kernel_shape", kernel}, {"strides", strides}}));
  }
  call.give(TorchValue(TorchUnknown{"indices of a pool"}));
}

}  // namespace

std::span<const TorchOperator> torch_windows() {
  static constexpr TorchOperator kOperators[] = {
      {"conv1d", conv},
      {"conv2d", conv},
      {"conv3d", conv},
      {"_convolution", any_convolution},
      {"convolution", any_convolution},
      {"_convolution_mode", conv},
      {"conv_transpose1d", conv_transpose},
      {"conv_transpose2d", conv_transpose},
      {"conv_transpose3d", conv_transpose},
      {"max_pool1d", max_pool},
      {"max_pool2d", max_pool},
      {"max_pool3d", max_pool},
      {"max_pool1d_with_indices", max_pool},
      {"max_pool2d_with_indices", max_pool},
      {"max_pool3d_with_indices", max_pool},
      {"avg_pool1d", average_pool},
      {"avg_pool2d", average_pool},
      {"avg_pool3d", average_pool},
      {"adaptive_avg_pool1d", adaptive_pool, "AveragePool"},
      {"adaptive_avg_pool2d", adaptive_pool, "AveragePool"},
      {"adaptive_avg_pool3d", adaptive_pool, "AveragePool"},
      {"adaptive_max_pool1d", adaptive_pool, "MaxPool"},
      {"adaptive_max_pool2d", adaptive_pool, "MaxPool"},
      {"adaptive_max_pool3d", adaptive_pool, "MaxPool"},
  };
  return kOperators;
}

}  // namespace layersim
