// Softmax and its kin, and reductions: each row of a matrix for itself.

#include "sampler/torch/torch_layer.h"

namespace layersim::torch_sampler {

TorchLayer make_softmax(const SampleProblem& sample, const TensorMaker& tensors) {
  const Sizes sizes(sample.problem);
  const std::string_view function = sizes.choice("function");
  const at::Tensor x = tensors.input({sizes["rows"], sizes["cols"]});
  if (function == "softmax") return {{x}, {}, [=] { return at::softmax(x, 1); }};
  if (function == "log_softmax") return {{x}, {}, [=] { return at::log_softmax(x, 1); }};
  if (function != "loss") throw CannotMeasure("libtorch has no single operator for it");
  const at::Tensor labels = tensors.indices(sizes["rows"], sizes["cols"]);
  return {{x}, {}, [=] { return at::cross_entropy_loss(x, labels); }};
}

TorchLayer make_reduce(const SampleProblem& sample, const TensorMaker& tensors) {
  const Sizes sizes(sample.problem);
  const std::string_view function = sizes.choice("function");
  const at::Tensor x = tensors.input({sizes["rows"], sizes["cols"]});
  if (function == "sum") return {{x}, {}, [=] { return at::sum(x, 1); }};
  if (function == "extreme") return {{x}, {}, [=] { return std::get<0>(at::max(x, 1)); }};
  if (function == "arg") return {{x}, {}, [=] { return at::argmax(x, 1); }};
  if (function == "scan") return {{x}, {}, [=] { return at::cumsum(x, 1); }};
  return {{x}, {}, [=] { return std::get<0>(at::sort(x, 1)); }};
}

}  // namespace layersim::torch_sampler
