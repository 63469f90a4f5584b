// Element by element: activations, arithmetic, dropout.

#include "sampler/torch/torch_layer.h"

namespace layersim::torch_sampler {
namespace {

constexpr double kScalar = 1.5;
constexpr double kDropped = 0.5;

using Binary = at::Tensor (*)(const at::Tensor&, const at::Tensor&);

Binary find_binary(std::string_view function) {
  if (function == "add") return [](const at::Tensor& a, const at::Tensor& b) { return at::add(a, b); };
  if (function == "mul") return [](const at::Tensor& a, const at::Tensor& b) { return at::mul(a, b); };
  if (function == "div") return [](const at::Tensor& a, const at::Tensor& b) { return at::div(a, b); };
  if (function == "pow")
    return [](const at::Tensor& a, const at::Tensor& b) { return at::pow(at::abs(a), b); };
  if (function == "compare") return [](const at::Tensor& a, const at::Tensor& b) { return at::gt(a, b); };
  throw CannotMeasure("libtorch has no operator of two tensors for it");
}

at::Tensor unary(std::string_view function, const at::Tensor& x) {
  if (function == "add") return at::add(x, kScalar);
  if (function == "mul") return at::mul(x, kScalar);
  if (function == "div") return at::div(x, kScalar);
  if (function == "pow") return at::pow(x, 2);
  if (function == "transcendental") return at::exp(x);
  if (function == "compare") return at::gt(x, kScalar);
  if (function == "dropout") return at::dropout(x, kDropped, true);
  throw CannotMeasure("libtorch has no operator of one tensor for it");
}

}  // namespace

TorchLayer make_activation(const SampleProblem& sample, const TensorMaker& tensors) {
  const Sizes sizes(sample.problem);
  if (sizes["weights"] != 0) throw CannotMeasure("has weights of its own");
  const Activation activation = sample.problem.activation;
  const at::Tensor x = tensors.input({sizes["elements"]});
  return {{x}, {}, [=] { return activate(activation, x); }};
}

// A second operand that is smaller is one number, or a row that is added to each.
TorchLayer make_elementwise(const SampleProblem& sample, const TensorMaker& tensors) {
  const Sizes sizes(sample.problem);
  if (sizes["weights"] != 0) throw CannotMeasure("has weights of its own");
  const std::string function(sizes.choice("function"));
  const std::int64_t elements = sizes["elements"];
  const std::int64_t other = sizes["operand_elements"] - elements;
  if (sizes["operands"] == 1 || other == 1) {
    const at::Tensor x = tensors.input({elements});
    return {{x}, {}, [=] { return unary(function, x); }};
  }
  if (sizes["operands"] != 2 || other < 1 || elements % other != 0) {
    throw CannotMeasure("rows do not tell the shapes of these operands");
  }
  const Binary binary = find_binary(function);
  const at::Tensor a = tensors.input({elements / other, other});
  const at::Tensor b = other == elements ? tensors.input({1, other}) : tensors.input({other});
  return {{a, b}, {}, [=] { return binary(a, b); }};
}

}  // namespace layersim::torch_sampler
