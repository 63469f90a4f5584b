// Activations, none of them in place: the file does not tell where a model overwrites its tensors.

#include <ATen/Functions.h>

#include <algorithm>
#include <limits>

#include "layers/lowering.h"
#include "sampler/network/torch/node_operator.h"

namespace layersim {
namespace {

at::Tensor relu6(const at::Tensor& x) { return at::hardtanh(x, 0, 6); }
at::Tensor plain_elu(const at::Tensor& x) { return at::elu(x); }
at::Tensor plain_leaky_relu(const at::Tensor& x) { return at::leaky_relu(x); }
at::Tensor plain_gelu(const at::Tensor& x) { return at::gelu(x); }
at::Tensor plain_softplus(const at::Tensor& x) { return at::softplus(x); }
at::Tensor plain_softmax(const at::Tensor& x) { return at::softmax(x, -1); }
at::Tensor softsign(const at::Tensor& x) { return at::div(x, at::add(at::abs(x), 1)); }

struct PlainActivation {
  std::string_view op;
  at::Tensor (*function)(const at::Tensor&);
};
constexpr PlainActivation kPlain[] = {
    {"Relu", at::relu},
    {"Sigmoid", at::sigmoid},
    {"Tanh", at::tanh},
    {"HardSigmoid", at::hardsigmoid},
    {"HardSwish", at::hardswish},
    {"Mish", at::mish},
    {"Silu", at::silu},
    {"Swish", at::silu},
    {"Selu", at::selu},
    {"Softsign", softsign},
    {"Clip", relu6},
    {"Elu", plain_elu},
    {"LeakyRelu", plain_leaky_relu},
    {"Gelu", plain_gelu},
    {"Softplus", plain_softplus},
    {"Softmax", plain_softmax},
};

NodeCall prepare_plain(const NodeView& view) {
  const auto function = find_plain_activation(view.node().op);
  return [function](const Tensors& inputs) { return Tensors{function(inputs[0])}; };
}

NodeCall prepare_clip(const NodeView& view) {
  constexpr double kOpen = std::numeric_limits<double>::infinity();
  const double low = view.number(1).value_or(view.real_or("min", -kOpen));
  const double high = view.number(2).value_or(view.real_or("max", kOpen));
  if (low > -kOpen && high < kOpen && view.is_float(0)) {
    return [low, high](const Tensors& inputs) { return Tensors{at::hardtanh(inputs[0], low, high)}; };
  }
  return [low, high](const Tensors& inputs) { return Tensors{at::clamp(inputs[0], low, high)}; };
}

NodeCall prepare_elu(const NodeView& view) {
  return [alpha = view.real_or("alpha", 1)](const Tensors& inputs) {
    return Tensors{at::elu(inputs[0], alpha)};
  };
}

NodeCall prepare_celu(const NodeView& view) {
  return [alpha = view.real_or("alpha", 1)](const Tensors& inputs) {
    return Tensors{at::celu(inputs[0], alpha)};
  };
}

NodeCall prepare_leaky_relu(const NodeView& view) {
  return [slope = view.real_or("alpha", 0.01)](const Tensors& inputs) {
    return Tensors{at::leaky_relu(inputs[0], slope)};
  };
}

NodeCall prepare_gelu(const NodeView& view) {
  return [approximate = view.text_or("approximate", "none")](const Tensors& inputs) {
    return Tensors{at::gelu(inputs[0], approximate)};
  };
}

NodeCall prepare_prelu(const NodeView& view) {
  const auto slopes = element_count(view.shape(1));
  return
      [slopes](const Tensors& inputs) { return Tensors{at::prelu(inputs[0], inputs[1].reshape({slopes}))}; };
}

}  // namespace

at::Tensor (*find_plain_activation(std::string_view op))(const at::Tensor&) {
  const auto* found =
      std::find_if(std::begin(kPlain), std::end(kPlain), [&](const auto& plain) { return plain.op == op; });
  return found == std::end(kPlain) ? nullptr : found->function;
}

std::span<const NodeOperator> activation_operators() {
  static constexpr NodeOperator kOperators[] = {
      {"Relu", prepare_plain},
      {"Sigmoid", prepare_plain},
      {"Tanh", prepare_plain},
      {"HardSigmoid", prepare_plain},
      {"HardSwish", prepare_plain},
      {"HardSwish", prepare_plain, kFusedDomain},
      {"Mish", prepare_plain},
      {"Mish", prepare_plain, kFusedDomain},
      {"Silu", prepare_plain, kFusedDomain},
      {"Swish", prepare_plain},
      {"Selu", prepare_plain},
      {"Softplus", prepare_plain},
      {"Softsign", prepare_plain},
      {"Clip", prepare_clip},
      {"Elu", prepare_elu},
      {"Celu", prepare_celu},
      {"LeakyRelu", prepare_leaky_relu},
      {"Gelu", prepare_gelu},
      {"Gelu", prepare_gelu, kFusedDomain},
      {"PRelu", prepare_prelu},
  };
  return kOperators;
}

}  // namespace layersim
