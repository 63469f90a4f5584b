// Numbers and sizes. A size is a node of the graph, so that it follows the batch; what only the file decides
// is calculated here.

#include <cmath>
#include <cstdint>
#include <limits>

#include "sim/core/error.h"
#include "sim/import/torchscript/operator.h"
#include "sim/import/torchscript/operators/numbers.h"

namespace layersim {
namespace {

TorchValue number(ValueId id) { return TorchValue(TorchNumber{id}); }

bool is_computed(const TorchValue& value) { return value.get<TorchNumber>() != nullptr; }

// Of two known integers; nothing where the result is no integer or does not fit.
std::optional<std::int64_t> on_ints(std::string_view op, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (op == "add") return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  if (op == "sub") return __builtin_sub_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  if (op == "mul") return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  if (op == "max") return std::max(a, b);
  if (op == "min") return std::min(a, b);
  if (op == "bitwise_and" || op == "__and__") return a & b;
  if (op == "bitwise_or" || op == "__or__") return a | b;
  if (op == "__xor__") return a ^ b;
  if (op == "floordiv" || op == "remainder" || op == "floor_divide") {
    if (b == 0) throw bad_input("its code divides by zero");
    if (a == std::numeric_limits<std::int64_t>::min()) return std::nullopt;
    const std::int64_t rest = ((a % b) + b) % b;
    return op == "remainder" ? rest : (a - rest) / b;
  }
  return std::nullopt;
}

std::optional<double> on_reals(std::string_view op, double a, double b) {
  if (op == "add") return a + b;
  if (op == "sub") return a - b;
  if (op == "mul") return a * b;
  if (op == "div" || op == "true_divide") return a / b;
  if (op == "floordiv") return std::floor(a / b);
  if (op == "remainder") return a - std::floor(a / b) * b;
  if (op == "pow") return std::pow(a, b);
  if (op == "max") return std::max(a, b);
  if (op == "min") return std::min(a, b);
  return std::nullopt;
}

std::optional<bool> compared(std::string_view op, double a, double b) {
  if (op == "eq") return a == b;
  if (op == "ne") return a != b;
  if (op == "lt") return a < b;
  if (op == "le") return a <= b;
  if (op == "gt") return a > b;
  if (op == "ge") return a >= b;
  return std::nullopt;
}

TorchValue of_one(const TorchCall& call) {
  const std::string_view op = call.op().name;
  if (op == "__not__") return TorchValue(call.integer(0) == 0);
  if (is_computed(call[0]) && (op == "neg" || op == "abs")) {
    return number(call.emit(call.op().onnx, {call.tensor(0)}));
  }
  const double x = call.real(0);
  const bool whole = known_int(call.converter(), call[0]).has_value();
  if (op == "neg") return whole ? TorchValue(-call.integer(0)) : TorchValue(-x);
  if (op == "abs") return whole ? TorchValue(std::abs(call.integer(0))) : TorchValue(std::abs(x));
  if (op == "sqrt") return TorchValue(std::sqrt(x));
  const double rounded = op == "floor" ? std::floor(x) : op == "ceil" ? std::ceil(x) : std::nearbyint(x);
  if (!std::isfinite(rounded) || std::abs(rounded) > 9e18) throw ShapeUnknown{};
  return TorchValue(static_cast<std::int64_t>(rounded));
}

void size(TorchCall& call) {
  TorchConverter& converter = call.converter();
  const Shape shape = call.shape(0);
  const ValueId sizes = call.emit("Shape", {call.tensor(0)});
  const auto size_of = [&](std::size_t axis) {
    return number(call.emit("Gather", {sizes, converter.int_scalar(static_cast<std::int64_t>(axis))},
                            {{"axis", std::int64_t{0}}}));
  };
  if (!call[1].is_none()) return call.give(size_of(normalize_axis(call.integer(1), shape.size())));
  std::vector<TorchValue> all;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) all.push_back(size_of(axis));
  call.give(make_sequence(TorchSequence::Kind::list, std::move(all)));
}

void rank(TorchCall& call) { call.give(TorchValue(static_cast<std::int64_t>(call.shape(0).size()))); }

void element_total(TorchCall& call) { call.give(number(call.emit("Size", {call.tensor(0)}))); }

// Between tensors of rank 0 and numbers: what the graph computes stays as it is.
void as_number(TorchCall& call) {
  if (call[0].is_tensor()) return call.give(number(call.tensor(0)));
  call.give(call[0]);
}

void as_tensor(TorchCall& call) {
  if (call[0].is_tensor() || is_computed(call[0])) return call.give(call.tensor(0));
  if (const auto* real = call[0].get<double>())
    return call.give(call.converter().real_scalar(*real, DType::f32));
  call.give(call.converter().int_scalar(call.integer(0)));
}

void to_int(TorchCall& call) {
  if (call[0].is_tensor() || is_computed(call[0])) return as_number(call);
  const double real = call.real(0);
  if (!std::isfinite(real) || std::abs(real) > 9e18) throw ShapeUnknown{};
  if (call[0].get<double>() == nullptr) return call.give(TorchValue(call.integer(0)));
  call.give(TorchValue(static_cast<std::int64_t>(real)));
}

void to_real(TorchCall& call) {
  if (call[0].is_tensor()) return as_number(call);
  call.give(TorchValue(call.real(0)));
}

void to_bool(TorchCall& call) {
  if (call[0].is_tensor()) return as_number(call);
  call.give(TorchValue(call.real(0) != 0));
}

// Whether the second is the first: both none, or neither.
void is_same(TorchCall& call) {
  if (call[0].get<TorchUnknown>() != nullptr || call[1].get<TorchUnknown>() != nullptr) throw ShapeUnknown{};
  const bool same = call[0].is_none() == call[1].is_none() &&
                    (call[0].is_none() || call[0].data.index() == call[1].data.index());
  call.give(TorchValue(same == (call.op().name == "__is__")));
}

// PyTorch's number of a data type.
constexpr std::int64_t torch_type(DType dtype) {
  switch (dtype) {
    case DType::u8:
      return 0;
    case DType::i8:
      return 1;
    case DType::i16:
      return 2;
    case DType::i32:
      return 3;
    case DType::i64:
      return 4;
    case DType::f16:
      return 5;
    case DType::f64:
      return 7;
    case DType::boolean:
      return 11;
    case DType::bf16:
      return 15;
    default:
      return 6;
  }
}

void dtype(TorchCall& call) {
  call.give(TorchValue(torch_type(call.converter().tensor(call.tensor(0)).dtype)));
}

void device(TorchCall& call) { call.give(TorchValue(std::string("cpu"))); }

void is_floating(TorchCall& call) {
  call.give(TorchValue(is_float(call.converter().tensor(call.tensor(0)).dtype)));
}

void never(TorchCall& call) { call.give(TorchValue(false)); }

void nothing(TorchCall&) {}

void text(TorchCall& call) { call.give(TorchValue(TorchUnknown{"a text that is put together"})); }

}  // namespace

TorchValue arithmetic(const TorchCall& call) {
  if (call.count() == 1 || call.op().name == "round") return of_one(call);
  const std::string_view op = call.op().name;
  const bool computed = is_computed(call[0]) || is_computed(call[1]);
  const auto a = known_real(call.converter(), call[0]);
  const auto b = known_real(call.converter(), call[1]);
  if (a && b) {
    if (const auto truth = compared(op, *a, *b)) return TorchValue(*truth);
  }
  const bool real = call[0].get<double>() != nullptr || call[1].get<double>() != nullptr;
  if (!computed || real || op == "div") {
    if (!a || !b) throw ShapeUnknown{};
    if (!real && op != "div" && op != "pow" && op != "true_divide") {
      const auto result = on_ints(op, call.integer(0), call.integer(1));
      if (!result) throw ShapeUnknown{};
      if (op.starts_with("__")) return TorchValue(*result != 0);
      return TorchValue(*result);
    }
    const auto result = on_reals(op, *a, *b);
    if (!result) throw ShapeUnknown{};
    return TorchValue(*result);
  }
  const auto operand = [&](std::size_t i) {
    return is_computed(call[i]) ? call.tensor(i) : call.converter().int_scalar(call.integer(i));
  };
  if (call.op().onnx.empty()) throw ShapeUnknown{};
  const ValueId result = call.emit(call.op().onnx, {operand(0), operand(1)});
  return number(op == "ne" ? call.emit("Not", {result}) : result);
}

TorchValue combine(const TorchCall& call) {
  const std::string_view op = call.op().name;
  const TorchSequence* a = call[0].sequence();
  const TorchSequence* b = call[1].sequence();
  const auto* text_a = call[0].get<std::string>();
  const auto* text_b = call[1].get<std::string>();
  if (text_a != nullptr && text_b != nullptr && (op == "eq" || op == "ne")) {
    return TorchValue((*text_a == *text_b) == (op == "eq"));
  }
  if (a != nullptr && op == "mul" && b == nullptr) {
    const std::int64_t times = call.integer(1);
    constexpr std::int64_t kMaxItems = 100'000;
    if (times * static_cast<std::int64_t>(a->items.size()) > kMaxItems) throw ShapeUnknown{};
    std::vector<TorchValue> items;
    for (std::int64_t i = 0; i < times; ++i) items.insert(items.end(), a->items.begin(), a->items.end());
    return make_sequence(a->kind, std::move(items));
  }
  if (a == nullptr || b == nullptr) throw ShapeUnknown{};
  if (op == "add") {
    std::vector<TorchValue> items = a->items;
    items.insert(items.end(), b->items.begin(), b->items.end());
    return make_sequence(a->kind, std::move(items));
  }
  if (op != "eq" && op != "ne") throw ShapeUnknown{};
  bool same = a->items.size() == b->items.size();
  for (std::size_t i = 0; same && i < a->items.size(); ++i) {
    const auto x = known_real(call.converter(), a->items[i]);
    const auto y = known_real(call.converter(), b->items[i]);
    if (!x || !y) throw ShapeUnknown{};
    same = *x == *y;
  }
  return TorchValue(same == (op == "eq"));
}

std::span<const TorchOperator> torch_scalars() {
  static constexpr TorchOperator kOperators[] = {
      {"size", size},
      {"dim", rank},
      {"ndimension", rank},
      {"numel", element_total},
      {"NumToTensor", as_tensor},
      {"tensor", as_tensor},
      {"scalar_tensor", as_tensor},
      {"item", as_number},
      {"ImplicitTensorToNum", as_number},
      {"IntImplicit", as_number},
      {"FloatImplicit", as_number},
      {"ScalarImplicit", as_number},
      {"Int", to_int},
      {"Float", to_real},
      {"Bool", to_bool},
      {"__is__", is_same},
      {"__isnot__", is_same},
      {"dtype", dtype},
      {"device", device},
      {"is_floating_point", is_floating},
      {"is_cuda", never},
      {"is_scripting", never},
      {"is_tracing", never},
      {"is_grad_enabled", never},
      {"warn", nothing},
      {"Print", nothing},
      {"manual_seed", nothing},
      {"format", text},
      {"str", text},
  };
  return kOperators;
}

}  // namespace layersim
