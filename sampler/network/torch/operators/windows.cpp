// Convolutions and poolings: operators with a window that moves over the spatial axes.

#include <ATen/Functions.h>

#include <algorithm>
#include <limits>

#include "sampler/network/torch/node_operator.h"

namespace layersim {
namespace {

using Ints = std::vector<std::int64_t>;

struct Window {
  Ints kernel;
  Ints strides;
  Ints dilations;
  Ints pads;        // on both sides alike
  Ints extra_pads;  // as constant_pad_nd takes them, where the sides differ; pads are 0 then
};

// Padding of "SAME_UPPER" and "SAME_LOWER", begins before ends.
Ints same_pads(const NodeView& view, const Window& window, bool upper) {
  const std::size_t axes = window.kernel.size();
  Ints pads(2 * axes);
  for (std::size_t i = 0; i < axes; ++i) {
    const std::int64_t in = view.shape(0)[i + 2];
    const std::int64_t out = (in + window.strides[i] - 1) / window.strides[i];
    const std::int64_t reach = (window.kernel[i] - 1) * window.dilations[i] + 1;
    const std::int64_t total = std::max<std::int64_t>((out - 1) * window.strides[i] + reach - in, 0);
    const std::int64_t smaller = total / 2;
    pads[i] = upper ? smaller : total - smaller;
    pads[axes + i] = total - pads[i];
  }
  return pads;
}

Window read_window(const NodeView& view, Ints kernel) {
  const std::size_t axes = view.shape(0).size() - 2;
  view.require(axes >= 1 && axes <= 3, std::to_string(axes) + " spatial axes");
  view.require(kernel.size() == axes, "the kernel has not as many axes as the input");
  Window window{.kernel = std::move(kernel),
                .strides = view.ints_or("strides", Ints(axes, 1)),
                .dilations = view.ints_or("dilations", Ints(axes, 1)),
                .pads = Ints(axes, 0),
                .extra_pads = {}};
  const std::string automatic = view.text_or("auto_pad", "NOTSET");
  Ints pads = view.ints_or("pads", Ints(2 * axes, 0));
  if (automatic.starts_with("SAME")) pads = same_pads(view, window, automatic == "SAME_UPPER");
  const auto ends = pads.begin() + static_cast<std::ptrdiff_t>(axes);
  if (std::equal(pads.begin(), ends, ends)) {
    window.pads.assign(pads.begin(), ends);
  } else {
    for (std::size_t i = axes; i-- > 0;) {
      window.extra_pads.push_back(pads[i]);
      window.extra_pads.push_back(pads[axes + i]);
    }
  }
  return window;
}

at::Tensor padded(const at::Tensor& input, const Window& window, double value) {
  return window.extra_pads.empty() ? input : at::constant_pad_nd(input, window.extra_pads, value);
}

NodeCall prepare_conv(const NodeView& view) {
  const Shape& weight = view.shape(1);
  Window window = read_window(view, Ints(weight.begin() + 2, weight.end()));
  const std::int64_t groups = view.int_or("group", 1);
  return [window = std::move(window), groups](const Tensors& inputs) {
    const at::Tensor bias = inputs.size() > 2 ? inputs[2] : at::Tensor();
    return Tensors{at::convolution(padded(inputs[0], window, 0), inputs[1], bias, window.strides, window.pads,
                                   window.dilations, false, Ints(window.kernel.size(), 0), groups)};
  };
}

NodeCall prepare_conv_transpose(const NodeView& view) {
  const Shape& weight = view.shape(1);
  Window window = read_window(view, Ints(weight.begin() + 2, weight.end()));
  view.require(window.extra_pads.empty(), "padding that differs between the sides");
  const std::int64_t groups = view.int_or("group", 1);
  Ints output_padding;
  for (std::size_t i = 0; i < window.kernel.size(); ++i) {
    const std::int64_t reach = (window.kernel[i] - 1) * window.dilations[i] + 1;
    const std::int64_t plain = (view.shape(0)[i + 2] - 1) * window.strides[i] - 2 * window.pads[i] + reach;
    output_padding.push_back(view.output_shape()[i + 2] - plain);
    view.require(output_padding.back() >= 0, "an output smaller than the padding makes it");
  }
  return [window = std::move(window), output_padding, groups](const Tensors& inputs) {
    const at::Tensor bias = inputs.size() > 2 ? inputs[2] : at::Tensor();
    return Tensors{at::convolution(inputs[0], inputs[1], bias, window.strides, window.pads, window.dilations,
                                   true, output_padding, groups)};
  };
}

NodeCall prepare_max_pool(const NodeView& view) {
  Window window = read_window(view, view.ints_or("kernel_shape", {}));
  view.require(view.node().output(1) == kNoValue, "indices as a second output");
  const bool ceil = view.int_or("ceil_mode", 0) != 0;
  return [window = std::move(window), ceil](const Tensors& inputs) {
    const at::Tensor input = padded(inputs[0], window, -std::numeric_limits<double>::infinity());
    const auto pool = [&](auto function) {
      return Tensors{function(input, window.kernel, window.strides, window.pads, window.dilations, ceil)};
    };
    if (window.kernel.size() == 1) return pool(at::max_pool1d);
    return window.kernel.size() == 2 ? pool(at::max_pool2d) : pool(at::max_pool3d);
  };
}

NodeCall prepare_average_pool(const NodeView& view) {
  Window window = read_window(view, view.ints_or("kernel_shape", {}));
  const bool ceil = view.int_or("ceil_mode", 0) != 0;
  const bool count_pads = view.int_or("count_include_pad", 0) != 0 || !window.extra_pads.empty();
  return [window = std::move(window), ceil, count_pads](const Tensors& inputs) {
    const at::Tensor input = padded(inputs[0], window, 0);
    if (window.kernel.size() == 1) {
      return Tensors{at::avg_pool1d(input, window.kernel, window.strides, window.pads, ceil, count_pads)};
    }
    const auto pool = [&](auto function) {
      return Tensors{
          function(input, window.kernel, window.strides, window.pads, ceil, count_pads, c10::nullopt)};
    };
    return window.kernel.size() == 2 ? pool(at::avg_pool2d) : pool(at::avg_pool3d);
  };
}

// As modules of PyTorch do it, AdaptiveAvgPool2d(1) and its like: a mean over the spatial axes.
Ints spatial_axes(const NodeView& view) {
  Ints axes;
  for (std::size_t i = 2; i < view.shape(0).size(); ++i) axes.push_back(static_cast<std::int64_t>(i));
  return axes;
}

NodeCall prepare_global_average_pool(const NodeView& view) {
  return
      [axes = spatial_axes(view)](const Tensors& inputs) { return Tensors{at::mean(inputs[0], axes, true)}; };
}

NodeCall prepare_global_max_pool(const NodeView& view) {
  return
      [axes = spatial_axes(view)](const Tensors& inputs) { return Tensors{at::amax(inputs[0], axes, true)}; };
}

}  // namespace

std::span<const NodeOperator> window_operators() {
  static constexpr NodeOperator kOperators[] = {
      {"Conv", prepare_conv},
      {"ConvTranspose", prepare_conv_transpose},
      {"MaxPool", prepare_max_pool},
      {"AveragePool", prepare_average_pool},
      {"GlobalAveragePool", prepare_global_average_pool},
      {"GlobalMaxPool", prepare_global_max_pool},
  };
  return kOperators;
}

}  // namespace layersim
