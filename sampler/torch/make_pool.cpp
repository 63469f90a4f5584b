// Pooling over two spatial axes. A window as large as its input is the adaptive form, as networks write it.

#include "sampler/torch/torch_layer.h"

namespace layersim::torch_sampler {

TorchLayer make_pool(const SampleProblem& sample, const TensorMaker& tensors) {
  const Sizes sizes(sample.problem);
  if (sizes["in_d"] != 1 || sizes["kernel_d"] != 1) throw CannotMeasure("pools over a depth");
  const std::string_view function = sizes.choice("function");
  const std::vector<std::int64_t> kernel{sizes["kernel_h"], sizes["kernel_w"]};
  const std::vector<std::int64_t> stride{sizes["stride_h"], sizes["stride_w"]};
  const std::vector<std::int64_t> padding{sizes["pad_begin_h"], sizes["pad_begin_w"]};
  const std::vector<std::int64_t> dilation{sizes["dilation_h"], sizes["dilation_w"]};
  if (padding != std::vector{sizes["pad_end_h"], sizes["pad_end_w"]})
    throw CannotMeasure("is padded unevenly");
  const std::vector<std::int64_t> in{sizes["in_h"], sizes["in_w"]};
  const at::Tensor x = tensors.input({sizes["batch"], sizes["channels"], in[0], in[1]});
  if (function == "max") {
    return {{x}, {}, [=] { return at::max_pool2d(x, kernel, stride, padding, dilation); }};
  }
  if (function != "average") throw CannotMeasure("libtorch has no single operator for this pooling");
  if (kernel == in && padding == std::vector<std::int64_t>{0, 0}) {
    return {{x}, {}, [=] { return at::adaptive_avg_pool2d(x, {1, 1}); }};
  }
  return {{x}, {}, [=] { return at::avg_pool2d(x, kernel, stride, padding); }};
}

}  // namespace layersim::torch_sampler
