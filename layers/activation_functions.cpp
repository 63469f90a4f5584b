// Names and cost of activation functions.

#include <array>

#include "layers/layer_kind.h"

namespace layersim {
namespace {

struct ActivationFacts {
  std::string_view name;
  double flop_per_element;  // one for each add, multiply, compare, division and transcendental function
};
// In the order of the enumeration.
constexpr std::array kActivations{
    ActivationFacts{"none", 0},         ActivationFacts{"relu", 1},       ActivationFacts{"sigmoid", 4},
    ActivationFacts{"tanh", 5},         ActivationFacts{"softmax", 4},    ActivationFacts{"gelu", 8},
    ActivationFacts{"silu", 5},         ActivationFacts{"leaky_relu", 2}, ActivationFacts{"elu", 4},
    ActivationFacts{"hard_sigmoid", 4}, ActivationFacts{"hard_swish", 5}, ActivationFacts{"mish", 8},
    ActivationFacts{"other", 4},
};

struct OperatorActivation {
  std::string_view op;
  Activation activation;
};
constexpr std::array kOperators{
    OperatorActivation{"Relu", Activation::relu},
    OperatorActivation{"Clip", Activation::relu},  // as an activation of a fused operator: ReLU6
    OperatorActivation{"Sigmoid", Activation::sigmoid},
    OperatorActivation{"QLinearSigmoid", Activation::sigmoid},
    OperatorActivation{"Tanh", Activation::tanh},
    OperatorActivation{"Gelu", Activation::gelu},
    OperatorActivation{"FastGelu", Activation::gelu},
    OperatorActivation{"BiasGelu", Activation::gelu},
    OperatorActivation{"BiasSplitGelu", Activation::gelu},
    OperatorActivation{"QuickGelu", Activation::gelu},
    OperatorActivation{"Silu", Activation::silu},
    OperatorActivation{"Swish", Activation::silu},
    OperatorActivation{"LeakyRelu", Activation::leaky_relu},
    OperatorActivation{"QLinearLeakyRelu", Activation::leaky_relu},
    OperatorActivation{"PRelu", Activation::leaky_relu},
    OperatorActivation{"Elu", Activation::elu},
    OperatorActivation{"Selu", Activation::elu},
    OperatorActivation{"Celu", Activation::elu},
    OperatorActivation{"HardSigmoid", Activation::hard_sigmoid},
    OperatorActivation{"HardSwish", Activation::hard_swish},
    OperatorActivation{"Mish", Activation::mish},
    OperatorActivation{"Softplus", Activation::other},
    OperatorActivation{"Softsign", Activation::other},
    OperatorActivation{"ThresholdedRelu", Activation::other},
    OperatorActivation{"Shrink", Activation::other},
};

}  // namespace

std::string_view name(Activation activation) {
  return kActivations.at(static_cast<std::size_t>(activation)).name;
}

std::optional<Activation> parse_activation(std::string_view name) {
  for (std::size_t i = 0; i < kActivations.size(); ++i) {
    if (kActivations[i].name == name) return static_cast<Activation>(i);
  }
  return std::nullopt;
}

std::optional<Activation> activation_of_operator(std::string_view op) {
  for (const OperatorActivation& entry : kOperators) {
    if (entry.op == op) return entry.activation;
  }
  return std::nullopt;
}

double flop_per_element(Activation activation) {
  return kActivations.at(static_cast<std::size_t>(activation)).flop_per_element;
}

}  // namespace layersim
