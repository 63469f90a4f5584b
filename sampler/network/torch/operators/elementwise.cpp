// Arithmetic, comparisons and logic, element by element with broadcast.

#include <ATen/Functions.h>

#include <algorithm>

#include "sampler/network/torch/node_operator.h"

namespace layersim {
namespace {

at::Tensor itself(const at::Tensor& x) { return x; }

using Binary = at::Tensor (*)(const at::Tensor&, const at::Tensor&);

template <Binary Function>
NodeCall prepare_binary(const NodeView& /*view*/) {
  return [](const Tensors& inputs) { return Tensors{Function(inputs[0], inputs[1])}; };
}

at::Tensor add(const at::Tensor& a, const at::Tensor& b) { return at::add(a, b); }
at::Tensor subtract(const at::Tensor& a, const at::Tensor& b) { return at::sub(a, b); }
at::Tensor divide(const at::Tensor& a, const at::Tensor& b) {
  return at::isFloatingType(a.scalar_type()) ? at::div(a, b) : at::div(a, b, "trunc");
}
at::Tensor power(const at::Tensor& a, const at::Tensor& b) { return at::pow(a, b); }

// A stored number as the exponent is a number in the model too, and squares have a kernel of their own.
NodeCall prepare_power(const NodeView& view) {
  const auto exponent = view.number(1);
  if (!exponent || !view.is_float(0)) return prepare_binary<power>(view);
  return [exponent = *exponent](const Tensors& inputs) { return Tensors{at::pow(inputs[0], exponent)}; };
}

// Any number of operands, one after the other.
template <Binary Function>
NodeCall prepare_many(const NodeView& /*view*/) {
  return [](const Tensors& inputs) {
    at::Tensor result = inputs[0];
    for (std::size_t i = 1; i < inputs.size(); ++i) result = Function(result, inputs[i]);
    return Tensors{result};
  };
}

NodeCall prepare_mean(const NodeView& view) {
  const auto count = static_cast<double>(view.node().inputs.size());
  return [sum = prepare_many<add>(view), count](const Tensors& inputs) {
    return Tensors{at::div(sum(inputs)[0], count)};
  };
}

NodeCall prepare_mod(const NodeView& view) {
  const bool sign_of_dividend = view.int_or("fmod", 0) != 0;
  return [sign_of_dividend](const Tensors& inputs) {
    return Tensors{sign_of_dividend ? at::fmod(inputs[0], inputs[1]) : at::remainder(inputs[0], inputs[1])};
  };
}

NodeCall prepare_where(const NodeView& /*view*/) {
  return [](const Tensors& inputs) { return Tensors{at::where(inputs[0], inputs[1], inputs[2])}; };
}

NodeCall prepare_cast(const NodeView& view) {
  return [dtype = view.output_dtype()](const Tensors& inputs) { return Tensors{inputs[0].to(dtype)}; };
}

NodeCall prepare_dropout(const NodeView& view) {
  constexpr double kDefaultRatio = 0.5;
  view.require(view.node().output(1) == kNoValue, "the mask as a second output");
  const double ratio = view.number(1).value_or(view.real_or("ratio", kDefaultRatio));
  return [ratio, training = view.training()](const Tensors& inputs) {
    return Tensors{at::dropout(inputs[0], ratio, training)};
  };
}

}  // namespace

std::span<const NodeOperator> elementwise_operators() {
  static constexpr NodeOperator kOperators[] = {
      {"Add", prepare_binary<add>},
      {"Sub", prepare_binary<subtract>},
      {"Mul", prepare_binary<at::mul>},
      {"Div", prepare_binary<divide>},
      {"Pow", prepare_power},
      {"Max", prepare_many<at::maximum>},
      {"Min", prepare_many<at::minimum>},
      {"Sum", prepare_many<add>},
      {"Mean", prepare_mean},
      {"Mod", prepare_mod},
      {"Equal", prepare_binary<at::eq>},
      {"Less", prepare_binary<at::lt>},
      {"LessOrEqual", prepare_binary<at::le>},
      {"Greater", prepare_binary<at::gt>},
      {"GreaterOrEqual", prepare_binary<at::ge>},
      {"And", prepare_binary<at::logical_and>},
      {"Or", prepare_binary<at::logical_or>},
      {"Xor", prepare_binary<at::logical_xor>},
      {"Not", prepare_unary<at::logical_not>},
      {"Where", prepare_where},
      {"Cast", prepare_cast},
      {"Dropout", prepare_dropout},
      {"Identity", prepare_unary<itself>},
      {"Abs", prepare_unary<at::abs>},
      {"Neg", prepare_unary<at::neg>},
      {"Exp", prepare_unary<at::exp>},
      {"Log", prepare_unary<at::log>},
      {"Sqrt", prepare_unary<at::sqrt>},
      {"Reciprocal", prepare_unary<at::reciprocal>},
      {"Erf", prepare_unary<at::erf>},
      {"Sin", prepare_unary<at::sin>},
      {"Cos", prepare_unary<at::cos>},
      {"Floor", prepare_unary<at::floor>},
      {"Ceil", prepare_unary<at::ceil>},
      {"Round", prepare_unary<at::round>},
      {"Sign", prepare_unary<at::sign>},
      {"IsNaN", prepare_unary<at::isnan>},
  };
  return kOperators;
}

}  // namespace layersim
