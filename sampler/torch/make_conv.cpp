// Convolutions: two spatial axes, or three where there is a depth.

#include "sampler/torch/torch_layer.h"

namespace layersim::torch_sampler {
namespace {

struct WindowSizes {
  std::vector<std::int64_t> in, kernel, stride, dilation, padding, output_padding;
};

WindowSizes window_sizes(const Sizes& sizes) {
  WindowSizes window;
  for (const char* axis : {"_d", "_h", "_w"}) {
    const std::string suffix = axis;
    const std::int64_t padding = sizes["pad_begin" + suffix];
    if (padding != sizes["pad_end" + suffix]) throw CannotMeasure("is padded unevenly");
    const bool flat = suffix == "_d" && sizes["in_d"] == 1 && sizes["kernel_d"] == 1 && padding == 0;
    if (flat) continue;
    window.in.push_back(sizes["in" + suffix]);
    window.kernel.push_back(sizes["kernel" + suffix]);
    window.stride.push_back(sizes["stride" + suffix]);
    window.dilation.push_back(sizes["dilation" + suffix]);
    window.padding.push_back(padding);
    window.output_padding.push_back(sizes["output_padding" + suffix]);
  }
  return window;
}

std::vector<std::int64_t> with_leading(std::int64_t first, std::int64_t second,
                                       const std::vector<std::int64_t>& rest) {
  std::vector<std::int64_t> shape{first, second};
  shape.insert(shape.end(), rest.begin(), rest.end());
  return shape;
}

}  // namespace

TorchLayer make_conv(const SampleProblem& sample, const TensorMaker& tensors) {
  const Sizes sizes(sample.problem);
  const WindowSizes w = window_sizes(sizes);
  const std::int64_t groups = sizes["groups"];
  const at::Tensor x = tensors.input(with_leading(sizes["batch"], sizes["in_channels"], w.in));
  const at::Tensor weight =
      tensors.weight(with_leading(sizes["out_channels"], sizes["in_channels"] / groups, w.kernel));
  const at::Tensor bias = tensors.weight_if(sizes["bias"] != 0, {sizes["out_channels"]});
  const Activation activation = sample.problem.activation;
  return {{x}, defined({weight, bias}), [=] {
            const at::Tensor out = w.in.size() == 2
                                       ? at::conv2d(x, weight, bias, w.stride, w.padding, w.dilation, groups)
                                       : at::conv3d(x, weight, bias, w.stride, w.padding, w.dilation, groups);
            return activate(activation, out);
          }};
}

TorchLayer make_conv_transpose(const SampleProblem& sample, const TensorMaker& tensors) {
  const Sizes sizes(sample.problem);
  const WindowSizes w = window_sizes(sizes);
  const std::int64_t groups = sizes["groups"];
  const at::Tensor x = tensors.input(with_leading(sizes["batch"], sizes["in_channels"], w.in));
  const at::Tensor weight =
      tensors.weight(with_leading(sizes["in_channels"], sizes["out_channels"] / groups, w.kernel));
  const at::Tensor bias = tensors.weight_if(sizes["bias"] != 0, {sizes["out_channels"]});
  const Activation activation = sample.problem.activation;
  return {{x}, defined({weight, bias}), [=] {
            const at::Tensor out = w.in.size() == 2
                                       ? at::conv_transpose2d(x, weight, bias, w.stride, w.padding,
                                                              w.output_padding, groups, w.dilation)
                                       : at::conv_transpose3d(x, weight, bias, w.stride, w.padding,
                                                              w.output_padding, groups, w.dilation);
            return activate(activation, out);
          }};
}

}  // namespace layersim::torch_sampler
