// Element-wise operators of two or more operands. Small operands are computed, because networks calculate
// shapes with them.

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "sim/core/error.h"
#include "sim/graph/shape_rules/contents.h"

namespace layersim {
namespace {

using IntFunction = std::int64_t (*)(std::int64_t,
                                     std::int64_t);  // of known numbers; may overflow to kUnknownInt
using RealFunction = double (*)(double, double);

Shape broadcast_shape(const ShapeContext& context) {
  Shape shape = context.shape(0);
  for (std::size_t i = 1; i < context.input_count(); ++i) shape = broadcast(shape, context.shape(i));
  return shape;
}

// Contents of all operands, repeated to `shape`; empty when one is not known or they mix integers with reals.
std::vector<Contents> operands(const ShapeContext& context, const Shape& shape) {
  std::vector<Contents> known;
  if (!is_trackable(shape)) return known;
  for (std::size_t i = 0; i < context.input_count(); ++i) {
    if (is_float(context.dtype(i)) != is_float(context.dtype(0))) return {};
    known.push_back(broadcast_contents(context, i, shape));
    if (known.back() == nullptr) return {};
  }
  return known;
}

Ints combine(const std::vector<Contents>& operands, IntFunction function) {
  Ints result = operands.front()->ints;
  for (std::size_t i = 1; i < operands.size(); ++i) {
    for (std::size_t k = 0; k < result.size(); ++k) {
      const std::int64_t other = operands[i]->ints[k];
      const bool known = result[k] != kUnknownInt && other != kUnknownInt;
      result[k] = known ? function(result[k], other) : kUnknownInt;
    }
  }
  return result;
}

template <IntFunction kInts, RealFunction kReals>
void arithmetic(ShapeContext& context) {
  Shape shape = broadcast_shape(context);
  Contents result;
  if (const auto known = operands(context, shape); !known.empty()) {
    if (is_float(context.dtype(0))) {
      std::vector<double> reals = known.front()->reals;
      for (std::size_t i = 1; i < known.size(); ++i) {
        for (std::size_t k = 0; k < reals.size(); ++k) reals[k] = kReals(reals[k], known[i]->reals[k]);
      }
      result = make_contents(std::move(reals));
    } else {
      result = make_contents(combine(known, kInts));
    }
  }
  const DType dtype =
      context.dtype(0) != DType::unknown ? context.dtype(0) : context.dtype(context.input_count() - 1);
  context.set_output(0, dtype, std::move(shape), std::move(result));
}

template <IntFunction kInts, bool (*kReals)(double, double)>
void comparison(ShapeContext& context) {
  Shape shape = broadcast_shape(context);
  Contents result;
  if (const auto known = operands(context, shape); known.size() == 2) {
    Ints truths;
    if (is_float(context.dtype(0))) {
      for (std::size_t k = 0; k < known[0]->reals.size(); ++k) {
        const double a = known[0]->reals[k];
        const double b = known[1]->reals[k];
        truths.push_back(std::isnan(a) || std::isnan(b) ? kUnknownInt
                                                        : static_cast<std::int64_t>(kReals(a, b)));
      }
    } else {
      truths = combine(known, kInts);
    }
    result = make_contents(std::move(truths));
  }
  context.set_output(0, DType::boolean, std::move(shape), std::move(result));
}

template <typename Number>
Number divide(Number a, Number b) {
  if constexpr (std::is_integral_v<Number>) {
    if (b == 0) throw bad_input("an integer is divided by 0");
    if (b == -1) return a == std::numeric_limits<Number>::min() ? a : -a;
  }
  return a / b;
}

// ONNX: the sign of the divisor for integers, unless fmod asks for C's rule, which reals always follow here.
std::int64_t modulo(std::int64_t a, std::int64_t b) {
  if (b == 0) throw bad_input("an integer is divided by 0");
  if (b == -1) return 0;
  const std::int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

std::int64_t add(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  return __builtin_add_overflow(a, b, &result) ? kUnknownInt : result;
}
std::int64_t subtract(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  return __builtin_sub_overflow(a, b, &result) ? kUnknownInt : result;
}
std::int64_t multiply(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? kUnknownInt : result;
}
std::int64_t power(std::int64_t a, std::int64_t b) {
  const double result = std::pow(static_cast<double>(a), static_cast<double>(b));
  return std::abs(result) <= static_cast<double>(kMaxElements) ? static_cast<std::int64_t>(result)
                                                               : kUnknownInt;
}
std::int64_t shift_right(std::int64_t a, std::int64_t b) { return b < 0 || b > 62 ? kUnknownInt : a >> b; }
std::int64_t shift_left(std::int64_t a, std::int64_t b) {
  return b < 0 || b > 62 ? kUnknownInt : multiply(a, std::int64_t{1} << b);
}

template <typename Number>
Number sum(Number a, Number b) {
  return a + b;
}
template <typename Number>
Number difference(Number a, Number b) {
  return a - b;
}
template <typename Number>
Number product(Number a, Number b) {
  return a * b;
}
template <typename Number>
Number minimum(Number a, Number b) {
  return std::min(a, b);
}
template <typename Number>
Number maximum(Number a, Number b) {
  return std::max(a, b);
}
double real_power(double a, double b) { return std::pow(a, b); }
double real_modulo(double a, double b) { return std::fmod(a, b); }
double no_real(double, double) { return std::numeric_limits<double>::quiet_NaN(); }

template <typename Number, typename Truth>
Truth equal(Number a, Number b) {
  return static_cast<Truth>(a == b);
}
template <typename Number, typename Truth>
Truth less(Number a, Number b) {
  return static_cast<Truth>(a < b);
}
template <typename Number, typename Truth>
Truth less_or_equal(Number a, Number b) {
  return static_cast<Truth>(a <= b);
}
template <typename Number, typename Truth>
Truth greater(Number a, Number b) {
  return static_cast<Truth>(a > b);
}
template <typename Number, typename Truth>
Truth greater_or_equal(Number a, Number b) {
  return static_cast<Truth>(a >= b);
}

std::int64_t logical_and(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(a != 0 && b != 0);
}
std::int64_t logical_or(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(a != 0 || b != 0);
}
std::int64_t logical_xor(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>((a != 0) != (b != 0));
}
std::int64_t bits_and(std::int64_t a, std::int64_t b) { return a & b; }
std::int64_t bits_or(std::int64_t a, std::int64_t b) { return a | b; }
std::int64_t bits_xor(std::int64_t a, std::int64_t b) { return a ^ b; }
std::int64_t no_int(std::int64_t, std::int64_t) { return kUnknownInt; }
bool no_truth(double, double) { return false; }

void modulo_by_sign(ShapeContext& context) {
  if (context.int_or("fmod", 0) != 0 && !is_float(context.dtype(0))) {
    return arithmetic<no_int, real_modulo>(context);
  }
  arithmetic<modulo, real_modulo>(context);
}

void bit_shift(ShapeContext& context) {
  if (context.text_or("direction", "LEFT") == "RIGHT") return arithmetic<shift_right, no_real>(context);
  arithmetic<shift_left, no_real>(context);
}

// Chooses by a condition; what is not known stays so, unless both sides agree.
void where(ShapeContext& context) {
  Shape shape = broadcast_shape(context);
  Contents chosen;
  if (is_trackable(shape) && !is_float(context.dtype(1)) && context.dtype(1) == context.dtype(2)) {
    const Contents condition = broadcast_contents(context, 0, shape);
    const Contents yes = broadcast_contents(context, 1, shape);
    const Contents no = broadcast_contents(context, 2, shape);
    const auto at = [](const Contents& contents, std::size_t k) {
      return contents != nullptr && k < contents->ints.size() ? contents->ints[k] : kUnknownInt;
    };
    if (yes != nullptr || no != nullptr) {
      Ints numbers(static_cast<std::size_t>(element_count(shape)));
      for (std::size_t k = 0; k < numbers.size(); ++k) {
        const std::int64_t truth = at(condition, k);
        if (truth == kUnknownInt) {
          numbers[k] = at(yes, k) == at(no, k) ? at(yes, k) : kUnknownInt;
        } else {
          numbers[k] = truth != 0 ? at(yes, k) : at(no, k);
        }
      }
      chosen = make_contents(std::move(numbers));
    }
  }
  context.set_output(0, context.dtype(1), std::move(shape), std::move(chosen));
}

}  // namespace

std::span<const ShapeRule> arithmetic_rules() {
  using Int = std::int64_t;
  static constexpr ShapeRule kRules[] = {
      {"Add", arithmetic<add, sum<double>>},
      {"Sub", arithmetic<subtract, difference<double>>},
      {"Mul", arithmetic<multiply, product<double>>},
      {"Div", arithmetic<divide<Int>, divide<double>>},
      {"Mod", modulo_by_sign},
      {"Pow", arithmetic<power, real_power>},
      {"Min", arithmetic<minimum<Int>, minimum<double>>},
      {"Max", arithmetic<maximum<Int>, maximum<double>>},
      {"Sum", arithmetic<add, sum<double>>},
      {"Mean", arithmetic<no_int, no_real>},
      {"PRelu", arithmetic<no_int, no_real>},
      {"BitShift", bit_shift},
      {"BitwiseAnd", arithmetic<bits_and, no_real>},
      {"BitwiseOr", arithmetic<bits_or, no_real>},
      {"BitwiseXor", arithmetic<bits_xor, no_real>},
      {"Equal", comparison<equal<Int, Int>, equal<double, bool>>},
      {"Less", comparison<less<Int, Int>, less<double, bool>>},
      {"LessOrEqual", comparison<less_or_equal<Int, Int>, less_or_equal<double, bool>>},
      {"Greater", comparison<greater<Int, Int>, greater<double, bool>>},
      {"GreaterOrEqual", comparison<greater_or_equal<Int, Int>, greater_or_equal<double, bool>>},
      {"And", comparison<logical_and, no_truth>},
      {"Or", comparison<logical_or, no_truth>},
      {"Xor", comparison<logical_xor, no_truth>},
      {"Where", where},
      {"BiasGelu", arithmetic<no_int, no_real>, "com.microsoft"},
      {"BiasAdd", arithmetic<no_int, no_real>, "com.microsoft"},
  };
  return kRules;
}

}  // namespace layersim
