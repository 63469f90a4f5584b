// Operators that read sizes of tensors or change data types, and pass contents on.

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "sim/core/error.h"
#include "sim/graph/onnx_dtype.h"
#include "sim/graph/shape_rules/contents.h"

namespace layersim {
namespace {

void shape_of(ShapeContext& context) {
  const Shape& shape = context.shape(0);
  const auto rank = static_cast<std::int64_t>(shape.size());
  const auto clamp = [rank](std::int64_t axis) {
    return std::clamp<std::int64_t>(axis < 0 ? axis + rank : axis, 0, rank);
  };
  const std::int64_t start = clamp(context.int_or("start", 0));
  const std::int64_t end = std::max(start, clamp(context.int_or("end", rank)));
  Ints sizes(shape.begin() + start, shape.begin() + end);
  std::replace(sizes.begin(), sizes.end(), kUnknownDim, kUnknownInt);
  const auto count = static_cast<std::int64_t>(sizes.size());
  context.set_output(0, DType::i64, {count}, make_contents(std::move(sizes)));
}

void size_of(ShapeContext& context) {
  const Shape& shape = context.shape(0);
  Contents contents = is_known(shape) ? make_contents(Ints{element_count(shape)}) : nullptr;
  context.set_output(0, DType::i64, {}, std::move(contents));
}

// Passes on a tensor or a sequence of tensors as it is.
void identity(ShapeContext& context) {
  const ValueId source = context.node().input(0);
  const auto sequence = source == kNoValue ? std::nullopt : context.graph().value(source).sequence;
  if (sequence) return context.set_output_sequence(0, *sequence);
  same_as_first_input(context);
}

void optional_of(ShapeContext& context) {
  if (!context.has_input(0)) throw ShapeUnknown{};
  identity(context);
}

std::int64_t to_int(double real) {
  constexpr double kLimit = 9.2e18;
  return std::isfinite(real) && std::abs(real) < kLimit ? static_cast<std::int64_t>(real) : kUnknownInt;
}

Contents convert(const Constant& source, DType from, DType to) {
  if (is_float(from) == is_float(to) && to != DType::boolean) return std::make_shared<const Constant>(source);
  Constant result;
  if (is_float(to)) {
    for (const std::int64_t number : source.ints) {
      result.reals.push_back(number == kUnknownInt ? std::numeric_limits<double>::quiet_NaN()
                                                   : static_cast<double>(number));
    }
  } else if (is_float(from)) {
    for (const double real : source.reals) {
      const bool truth = to == DType::boolean && !std::isnan(real);
      result.ints.push_back(truth ? static_cast<std::int64_t>(real != 0) : to_int(real));
    }
  } else {
    for (const std::int64_t number : source.ints) {
      result.ints.push_back(number == kUnknownInt ? kUnknownInt : static_cast<std::int64_t>(number != 0));
    }
  }
  return std::make_shared<const Constant>(std::move(result));
}

void cast_to(ShapeContext& context, DType dtype) {
  const Constant* source = known_contents(context, 0);
  const bool numbers = dtype != DType::string && dtype != DType::c64 && dtype != DType::c128;
  Contents contents = source != nullptr && numbers ? convert(*source, context.dtype(0), dtype) : nullptr;
  context.set_output(0, dtype, context.shape(0), std::move(contents));
}

void cast(ShapeContext& context) {
  const auto to = context.node().int_attribute("to");
  if (!to) throw bad_input("attribute 'to' is missing");
  cast_to(context, dtype_from_onnx(*to));
}

void cast_like(ShapeContext& context) { cast_to(context, context.dtype(1)); }

void bit_cast(ShapeContext& context) {
  const auto to = context.node().int_attribute("to");
  if (!to) throw bad_input("attribute 'to' is missing");
  context.set_output(0, dtype_from_onnx(*to), context.shape(0));
}

}  // namespace

std::span<const ShapeRule> shape_queries_rules() {
  static constexpr ShapeRule kRules[] = {
      {"Shape", shape_of},       {"Size", size_of},
      {"Identity", identity},    {"Cast", cast},
      {"CastLike", cast_like},   {"BitCast", bit_cast},
      {"Optional", optional_of}, {"OptionalGetElement", identity},
  };
  return kRules;
}

}  // namespace layersim
