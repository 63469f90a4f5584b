// Activations and element-wise arithmetic on tensors. Arithmetic whose operands are all numbers is in
// scalars.cpp.

#include "sim/import/torchscript/operator.h"
#include "sim/import/torchscript/operators/numbers.h"

namespace layersim {
namespace {

void unary(TorchCall& call) { call.give(call.emit(call.op().onnx, {call.tensor(0)})); }

void softmax(TorchCall& call) {
  call.give(call.emit(call.op().onnx, {call.tensor(0)}, {{"axis", call.integer(1)}}));
}

// x, scale of what is below zero
void leaky_relu(TorchCall& call) {
  call.give(call.emit(call.op().onnx, {call.tensor(0)}, {{"alpha", call.real(1)}}));
}

void prelu(TorchCall& call) { call.give(call.emit("PRelu", {call.tensor(0), call.tensor(1)})); }

void gelu(TorchCall& call) {
  const std::string form = call.text(1);
  call.give(
      call.emit("Gelu", {call.tensor(0)}, {{"approximate", form.empty() ? std::string("none") : form}}));
}

// x, low, high; either may be none
void clamp(TorchCall& call) {
  const ValueId x = call.tensor(0);
  const auto bound = [&](std::size_t i) { return call[i].is_none() ? kNoValue : call.operand(i, x); };
  call.give(call.emit("Clip", {x, bound(1), bound(2)}));
}

void relu6(TorchCall& call) {
  const DType dtype = call.converter().tensor(call.tensor(0)).dtype;
  call.give(call.emit("Clip", {call.tensor(0), call.converter().real_scalar(0, dtype),
                               call.converter().real_scalar(6, dtype)}));
}

void clamp_above(TorchCall& call) {
  const ValueId x = call.tensor(0);
  call.give(call.emit("Clip", {x, kNoValue, call.operand(1, x)}));
}

// The halves of an axis, one gated by the other.
void glu(TorchCall& call) {
  const auto axis = static_cast<std::size_t>(call.axis(1, call.shape(0).size()));
  const std::int64_t half = call.shape(0)[axis] / 2;
  call.emit("Split", {call.tensor(0), call.converter().ints({half, half})},
            {{"axis", static_cast<std::int64_t>(axis)}}, 2);
  const ValueId value = call.converter().last_output(0);
  const ValueId gate = call.converter().last_output(1);
  call.give(call.emit("Mul", {value, call.emit("Sigmoid", {gate})}));
}

void dropout(TorchCall& call) {
  const bool runs = call.flag(2);
  call.give(runs ? call.emit("Dropout", {call.tensor(0)}) : call.tensor(0));
}

bool on_numbers(const TorchCall& call, std::size_t operands) {
  for (std::size_t i = 0; i < operands; ++i) {
    if (!call[i].is_number()) return false;
  }
  return true;
}

ValueId binary_node(const TorchCall& call, ValueId a, ValueId b) { return call.emit(call.op().onnx, {a, b}); }

void binary(TorchCall& call) {
  if (on_numbers(call, 2)) return call.give(arithmetic(call));
  if (call[0].sequence() != nullptr || call[1].sequence() != nullptr ||
      !(call[0].is_tensor() || call[1].is_tensor())) {
    return call.give(combine(call));
  }
  const ValueId like = call.tensor(call[0].is_tensor() ? 0 : 1);
  call.give(binary_node(call, call.operand(0, like), call.operand(1, like)));
}

// x, y, factor of y
void scaled_sum(TorchCall& call) {
  if (!(call[0].is_tensor() || call[1].is_tensor())) return binary(call);
  const ValueId like = call.tensor(call[0].is_tensor() ? 0 : 1);
  ValueId second = call.operand(1, like);
  const auto factor = known_real(call.converter(), call[2]);
  if (factor && *factor != 1) {
    second = call.emit("Mul",
                       {second, call.converter().real_scalar(*factor, call.converter().tensor(like).dtype)});
  }
  call.give(binary_node(call, call.operand(0, like), second));
}

// y - x
void reversed_difference(TorchCall& call) {
  const ValueId x = call.tensor(0);
  call.give(call.emit("Sub", {call.operand(1, x), x}));
}

// x + factor (a op b)
void add_product(TorchCall& call) {
  call.give(call.emit("Add", {call.tensor(0), call.emit(call.op().onnx, {call.tensor(1), call.tensor(2)})}));
}

void not_equal(TorchCall& call) {
  if (!(call[0].is_tensor() || call[1].is_tensor())) return binary(call);
  const ValueId like = call.tensor(call[0].is_tensor() ? 0 : 1);
  call.give(call.emit("Not", {call.emit("Equal", {call.operand(0, like), call.operand(1, like)})}));
}

// condition, a, b
void where(TorchCall& call) {
  if (call.count() < 3) throw ShapeUnknown{};
  const ValueId like = call[1].is_tensor() ? call.tensor(1) : call.tensor(call[2].is_tensor() ? 2 : 0);
  call.give(call.emit("Where", {call.tensor(0), call.operand(1, like), call.operand(2, like)}));
}

// x, mask, number
void masked_fill(TorchCall& call) {
  const ValueId x = call.tensor(0);
  call.give(call.emit("Where", {call.tensor(1), call.operand(2, x), x}));
}

void negate(TorchCall& call) {
  if (!call[0].is_tensor()) return call.give(arithmetic(call));
  unary(call);
}

}  // namespace

std::span<const TorchOperator> torch_elements() {
  static constexpr TorchOperator kOperators[] = {
      {"relu", unary, "Relu"},
      {"sigmoid", unary, "Sigmoid"},
      {"tanh", unary, "Tanh"},
      {"silu", unary, "Swish"},
      {"mish", unary, "Mish"},
      {"hardswish", unary, "HardSwish"},
      {"hardsigmoid", unary, "HardSigmoid"},
      {"selu", unary, "Selu"},
      {"softplus", unary, "Softplus"},
      {"softsign", unary, "Softsign"},
      {"celu", unary, "Celu"},
      {"elu", leaky_relu, "Elu"},
      {"leaky_relu", leaky_relu, "LeakyRelu"},
      {"prelu", prelu},
      {"gelu", gelu},
      {"glu", glu},
      {"softmax", softmax, "Softmax"},
      {"_softmax", softmax, "Softmax"},
      {"log_softmax", softmax, "LogSoftmax"},
      {"_log_softmax", softmax, "LogSoftmax"},
      {"hardtanh", clamp},
      {"clamp", clamp},
      {"clip", clamp},
      {"clamp_min", clamp},
      {"clamp_max", clamp_above},
      {"relu6", relu6},
      {"dropout", dropout},
      {"feature_dropout", dropout},
      {"alpha_dropout", dropout},
      {"exp", unary, "Exp"},
      {"log", unary, "Log"},
      {"sin", unary, "Sin"},
      {"cos", unary, "Cos"},
      {"tan", unary, "Tan"},
      {"asin", unary, "Asin"},
      {"acos", unary, "Acos"},
      {"atan", unary, "Atan"},
      {"sinh", unary, "Sinh"},
      {"cosh", unary, "Cosh"},
      {"erf", unary, "Erf"},
      {"reciprocal", unary, "Reciprocal"},
      {"sign", unary, "Sign"},
      {"isnan", unary, "IsNaN"},
      {"isinf", unary, "IsInf"},
      {"logical_not", unary, "Not"},
      {"bitwise_not", unary, "Not"},
      {"abs", negate, "Abs"},
      {"neg", negate, "Neg"},
      {"sqrt", negate, "Sqrt"},
      {"floor", negate, "Floor"},
      {"ceil", negate, "Ceil"},
      {"round", negate, "Round"},
      {"__not__", negate, "Not"},
      {"add", scaled_sum, "Add"},
      {"sub", scaled_sum, "Sub"},
      {"rsub", reversed_difference},
      {"mul", binary, "Mul"},
      {"div", binary, "Div"},
      {"true_divide", binary, "Div"},
      {"floor_divide", binary, "Div"},
      {"floordiv", binary, "Div"},
      {"remainder", binary, "Mod"},
      {"fmod", binary, "Mod"},
      {"pow", binary, "Pow"},
      {"maximum", binary, "Max"},
      {"minimum", binary, "Min"},
      {"addcmul", add_product, "Mul"},
      {"addcdiv", add_product, "Div"},
      {"eq", binary, "Equal"},
      {"ne", not_equal, "Equal"},
      {"lt", binary, "Less"},
      {"le", binary, "LessOrEqual"},
      {"gt", binary, "Greater"},
      {"ge", binary, "GreaterOrEqual"},
      {"__and__", binary, "And"},
      {"__or__", binary, "Or"},
      {"__xor__", binary, "Xor"},
      {"logical_and", binary, "And"},
      {"logical_or", binary, "Or"},
      {"logical_xor", binary, "Xor"},
      {"bitwise_and", binary, "And"},
      {"bitwise_or", binary, "Or"},
      {"where", where},
      {"masked_fill", masked_fill},
  };
  return kOperators;
}

}  // namespace layersim
