// Operators that make tensors from nothing or from sizes.

#include <cmath>
#include <span>

#include "sim/core/error.h"
#include "sim/graph/onnx_dtype.h"
#include "sim/graph/shape_rules/contents.h"

namespace layersim {
namespace {

void constant(ShapeContext& context) {
  const Node& node = context.node();
  if (const AttributeValue* value = node.attribute("value")) {
    const auto* tensor = std::get_if<Tensor>(value);
    if (tensor == nullptr || !tensor->shape) throw bad_input("attribute 'value' should be a tensor");
    return context.set_output(0, tensor->dtype, *tensor->shape, tensor->constant);
  }
  if (const auto* value = node.attribute("sparse_value")) {
    const auto* tensor = std::get_if<Tensor>(value);
    if (tensor == nullptr || !tensor->shape) throw ShapeUnknown{};
    return context.set_output(0, tensor->dtype, *tensor->shape);
  }
  if (const auto integer = node.int_attribute("value_int")) {
    return context.set_output(0, DType::i64, {}, make_contents(Ints{*integer}));
  }
  if (const auto real = node.real_attribute("value_float")) {
    return context.set_output(0, DType::f32, {}, make_contents(std::vector<double>{*real}));
  }
  if (auto ints = node.ints_attribute("value_ints")) {
    Shape shape{static_cast<std::int64_t>(ints->size())};
    Contents contents = is_trackable(shape) ? make_contents(std::move(*ints)) : nullptr;
    return context.set_output(0, DType::i64, std::move(shape), std::move(contents));
  }
  if (const auto* value = node.attribute("value_floats")) {
    // A list without numbers looks like a list of integers.
    const auto* reals = std::get_if<std::vector<double>>(value);
    const std::size_t count = reals != nullptr ? reals->size() : 0;
    Shape shape{static_cast<std::int64_t>(count)};
    Contents contents = reals != nullptr && is_trackable(shape) ? make_contents(*reals) : nullptr;
    return context.set_output(0, DType::f32, std::move(shape), std::move(contents));
  }
  if (node.attribute("value_string") != nullptr) return context.set_output(0, DType::string, {});
  if (const auto* value = node.attribute("value_strings")) {
    const auto* texts = std::get_if<std::vector<std::string>>(value);
    return context.set_output(0, DType::string,
                              {texts == nullptr ? 0 : static_cast<std::int64_t>(texts->size())});
  }
  throw bad_input("no attribute gives the value");
}

void constant_of_shape(ShapeContext& context) {
  const Ints* sizes = context.ints(0);
  Shape shape = sizes != nullptr ? sizes_from(*sizes) : unknown_shape_of_length(context, 0);
  DType dtype = DType::f32;
  Constant fill{{}, {0.0}};
  if (const AttributeValue* value = context.node().attribute("value")) {
    const auto* tensor = std::get_if<Tensor>(value);
    if (tensor == nullptr) throw bad_input("attribute 'value' should be a tensor");
    dtype = tensor->dtype;
    fill = tensor->constant != nullptr ? *tensor->constant : Constant{};
  }
  Contents contents;
  if (is_trackable(shape)) {
    const auto count = static_cast<std::size_t>(element_count(shape));
    if (fill.ints.size() == 1) contents = make_contents(Ints(count, fill.ints[0]));
    if (fill.reals.size() == 1) contents = make_contents(std::vector<double>(count, fill.reals[0]));
  }
  context.set_output(0, dtype, std::move(shape), std::move(contents));
}

double nth(double start, double delta, std::size_t n) { return start + static_cast<double>(n) * delta; }
// The number lies between start and limit, whatever the product is on the way.
std::int64_t nth(std::int64_t start, std::int64_t delta, std::size_t n) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(start) + n * static_cast<std::uint64_t>(delta));
}

template <typename Number>
void range_of(ShapeContext& context, Number start, Number limit, Number delta) {
  if (delta == 0) throw bad_input("the step of a range is 0");
  const double steps =
      std::ceil((static_cast<double>(limit) - static_cast<double>(start)) / static_cast<double>(delta));
  if (std::isnan(steps)) throw ShapeUnknown{};
  if (steps > static_cast<double>(kMaxElements)) throw bad_input("a range of more than 2^53 numbers");
  const Shape shape{steps > 0 ? static_cast<std::int64_t>(steps) : 0};
  Contents contents;
  if (is_trackable(shape)) {
    std::vector<Number> numbers(static_cast<std::size_t>(shape[0]));
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = nth(start, delta, i);
    contents = make_contents(std::move(numbers));
  }
  context.set_output(0, context.dtype(0), shape, std::move(contents));
}

void range(ShapeContext& context) {
  if (is_float(context.dtype(0))) {
    const auto* start = context.reals(0);
    const auto* limit = context.reals(1);
    const auto* delta = context.reals(2);
    if (start == nullptr || limit == nullptr || delta == nullptr || start->size() != 1 ||
        limit->size() != 1 || delta->size() != 1) {
      return context.set_output(0, context.dtype(0), {kUnknownDim});
    }
    return range_of<double>(context, start->front(), limit->front(), delta->front());
  }
  const auto start = single_int(context, 0);
  const auto limit = single_int(context, 1);
  const auto delta = single_int(context, 2);
  if (!start || !limit || !delta) return context.set_output(0, context.dtype(0), {kUnknownDim});
  range_of<std::int64_t>(context, *start, *limit, *delta);
}

// The type that attribute `dtype` names, else `fallback`.
DType named_dtype(const ShapeContext& context, DType fallback) {
  const auto number = context.node().int_attribute("dtype");
  return number ? dtype_from_onnx(*number) : fallback;
}

void like_first_input(ShapeContext& context) {
  context.set_output(0, named_dtype(context, context.dtype(0)), context.shape(0));
}

void random_of_shape(ShapeContext& context) {
  const auto shape = context.node().ints_attribute("shape");
  if (!shape) throw bad_input("attribute 'shape' is missing");
  context.set_output(0, named_dtype(context, DType::f32), sizes_from(*shape));
}

void multinomial(ShapeContext& context) {
  const Shape& shape = context.shape(0, 2, 2);
  context.set_output(0, named_dtype(context, DType::i32), {shape[0], context.int_or("sample_size", 1)});
}

}  // namespace

std::span<const ShapeRule> constants_rules() {
  static constexpr ShapeRule kRules[] = {
      {"Constant", constant},
      {"ConstantOfShape", constant_of_shape},
      {"Range", range},
      {"EyeLike", like_first_input},
      {"RandomNormal", random_of_shape},
      {"RandomUniform", random_of_shape},
      {"RandomNormalLike", like_first_input},
      {"RandomUniformLike", like_first_input},
      {"Bernoulli", like_first_input},
      {"Multinomial", multinomial},
      {"Range", range, "com.microsoft"},
  };
  return kRules;
}

}  // namespace layersim
