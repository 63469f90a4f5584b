// Element-wise operators of one operand, activations among them.

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "sim/core/error.h"
#include "sim/graph/shape_rules/contents.h"

namespace layersim {
namespace {

using IntFunction = std::int64_t (*)(std::int64_t);
using RealFunction = double (*)(double);

// Shape and type of the first input; the contents are new and not followed.
void like_first_input(ShapeContext& context) { context.set_output(0, context.dtype(0), context.shape(0)); }

void truth_of_first_input(ShapeContext& context) { context.set_output(0, DType::boolean, context.shape(0)); }

template <IntFunction kInts, RealFunction kReals>
void computed(ShapeContext& context) {
  Contents result;
  if (const Ints* ints = context.ints(0); ints != nullptr && kInts != nullptr) {
    Ints numbers = *ints;
    for (std::int64_t& number : numbers) number = number == kUnknownInt ? kUnknownInt : kInts(number);
    result = make_contents(std::move(numbers));
  }
  if (const auto* reals = context.reals(0); reals != nullptr && kReals != nullptr) {
    std::vector<double> numbers = *reals;
    for (double& number : numbers) number = kReals(number);
    result = make_contents(std::move(numbers));
  }
  context.set_output(0, context.dtype(0), context.shape(0), std::move(result));
}

std::int64_t negative(std::int64_t a) { return -a; }  // never of kUnknownInt, the lowest number
std::int64_t magnitude(std::int64_t a) { return a < 0 ? -a : a; }
std::int64_t sign(std::int64_t a) { return (a > 0) - (a < 0); }
std::int64_t logical_not(std::int64_t a) { return static_cast<std::int64_t>(a == 0); }
std::int64_t bits_not(std::int64_t a) { return ~a; }
std::int64_t at_least_0(std::int64_t a) { return a < 0 ? 0 : a; }
std::int64_t itself(std::int64_t a) { return a; }
double negative_real(double a) { return -a; }
double magnitude_real(double a) { return std::abs(a); }
double sign_real(double a) { return std::isnan(a) ? a : static_cast<double>((a > 0) - (a < 0)); }
double at_least_0_real(double a) { return a < 0 ? 0 : a; }
double reciprocal(double a) { return 1 / a; }
double floor_real(double a) { return std::floor(a); }
double ceil_real(double a) { return std::ceil(a); }
double round_real(double a) { return std::nearbyint(a); }  // halves to even, as ONNX has it
double sqrt_real(double a) { return std::sqrt(a); }
double exp_real(double a) { return std::exp(a); }
double log_real(double a) { return std::log(a); }

// Bounds by attribute (operator set 10 and older) or input.
void clip(ShapeContext& context) {
  Contents result;
  if (const Ints* ints = context.ints(0)) {
    const auto low = context.has_input(1) ? single_int(context, 1) : std::numeric_limits<std::int64_t>::min();
    const auto high =
        context.has_input(2) ? single_int(context, 2) : std::numeric_limits<std::int64_t>::max();
    if (low && high) {
      Ints numbers = *ints;
      for (std::int64_t& number : numbers) {
        if (number != kUnknownInt) number = std::min(std::max(number, *low), *high);
      }
      result = make_contents(std::move(numbers));
    }
  }
  context.set_output(0, context.dtype(0), context.shape(0), std::move(result));
}

// Passes its input on, with a mask of what it kept.
void dropout(ShapeContext& context) {
  same_as_first_input(context);
  context.set_output(1, context.node().opset < 10 ? context.dtype(0) : DType::boolean, context.shape(0));
}

}  // namespace

std::span<const ShapeRule> unary_math_rules() {
  static constexpr ShapeRule kRules[] = {
      {"Neg", computed<negative, negative_real>},
      {"Abs", computed<magnitude, magnitude_real>},
      {"Sign", computed<sign, sign_real>},
      {"Not", computed<logical_not, nullptr>},
      {"BitwiseNot", computed<bits_not, nullptr>},
      {"Relu", computed<at_least_0, at_least_0_real>},
      {"Floor", computed<itself, floor_real>},
      {"Ceil", computed<itself, ceil_real>},
      {"Round", computed<itself, round_real>},
      {"Sqrt", computed<nullptr, sqrt_real>},
      {"Exp", computed<nullptr, exp_real>},
      {"Log", computed<nullptr, log_real>},
      {"Reciprocal", computed<nullptr, reciprocal>},
      {"Clip", clip},
      {"Dropout", dropout},
      {"IsNaN", truth_of_first_input},
      {"IsInf", truth_of_first_input},
      {"Sin", like_first_input},
      {"Cos", like_first_input},
      {"Tan", like_first_input},
      {"Asin", like_first_input},
      {"Acos", like_first_input},
      {"Atan", like_first_input},
      {"Sinh", like_first_input},
      {"Cosh", like_first_input},
      {"Asinh", like_first_input},
      {"Acosh", like_first_input},
      {"Atanh", like_first_input},
      {"Erf", like_first_input},
      {"Sigmoid", like_first_input},
      {"Tanh", like_first_input},
      {"LeakyRelu", like_first_input},
      {"ThresholdedRelu", like_first_input},
      {"Elu", like_first_input},
      {"Selu", like_first_input},
      {"Celu", like_first_input},
      {"Gelu", like_first_input},
      {"Mish", like_first_input},
      {"Swish", like_first_input},
      {"HardSigmoid", like_first_input},
      {"HardSwish", like_first_input},
      {"Softplus", like_first_input},
      {"Softsign", like_first_input},
      {"Shrink", like_first_input},
      {"Hardmax", like_first_input},
      {"Trilu", like_first_input},
      {"RotaryEmbedding", like_first_input},
      {"Gelu", like_first_input, "com.microsoft"},
      {"FastGelu", like_first_input, "com.microsoft"},
      {"QuickGelu", like_first_input, "com.microsoft"},
      {"Trilu", like_first_input, "com.microsoft"},
      {"BiasDropout", dropout, "com.microsoft"},
      {"BitmaskDropout", dropout, "com.microsoft"},
      {"Inverse", like_first_input, "com.microsoft"},
  };
  return kRules;
}

}  // namespace layersim
