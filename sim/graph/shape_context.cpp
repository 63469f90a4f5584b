#include "sim/core/error.h"
#include "sim/graph/shape_rule.h"

namespace layersim {
namespace {

// Whether a constant has as many numbers as its tensor has elements.
bool fills(std::size_t count, const Tensor& tensor) {
  return tensor.shape && is_known(*tensor.shape) &&
         static_cast<std::int64_t>(count) == element_count(*tensor.shape);
}

// Throws bad_input when the sizes that are known exceed the limit by themselves.
void check_size_limit(const Shape& shape) {
  constexpr std::size_t kMaxRank = 64;  // no framework goes further
  if (shape.size() > kMaxRank) throw bad_input("a tensor of rank " + std::to_string(shape.size()));
  if (is_known(shape)) {
    static_cast<void>(element_count(shape));
    return;
  }
  Shape known;
  for (const std::int64_t size : shape) {
    if (size < kUnknownDim) throw bad_input("a size of " + std::to_string(size));
    if (size > 0) known.push_back(size);
  }
  static_cast<void>(element_count(known));
}

}  // namespace

const Tensor& ShapeContext::input(std::size_t index) const {
  const ValueId id = node_.input(index);
  if (id == kNoValue) throw bad_input("input " + std::to_string(index) + " is absent");
  return graph_.value(id).tensor;
}

const Shape& ShapeContext::shape(std::size_t index) const {
  const Tensor& tensor = input(index);
  if (!tensor.shape) throw ShapeUnknown{};
  return *tensor.shape;
}

const Shape& ShapeContext::full_shape(std::size_t index) const {
  const Shape& known = shape(index);
  if (!is_known(known)) throw ShapeUnknown{};
  return known;
}

const std::vector<std::int64_t>* ShapeContext::ints(std::size_t index) const {
  if (!has_input(index)) return nullptr;
  const Tensor& tensor = input(index);
  if (tensor.constant == nullptr || is_float(tensor.dtype)) return nullptr;
  return fills(tensor.constant->ints.size(), tensor) ? &tensor.constant->ints : nullptr;
}

const std::vector<double>* ShapeContext::reals(std::size_t index) const {
  if (!has_input(index)) return nullptr;
  const Tensor& tensor = input(index);
  if (tensor.constant == nullptr || !is_float(tensor.dtype)) return nullptr;
  return fills(tensor.constant->reals.size(), tensor) ? &tensor.constant->reals : nullptr;
}

std::int64_t ShapeContext::int_or(std::string_view attribute, std::int64_t fallback) const {
  return node_.int_attribute(attribute).value_or(fallback);
}

double ShapeContext::real_or(std::string_view attribute, double fallback) const {
  return node_.real_attribute(attribute).value_or(fallback);
}

std::string ShapeContext::text_or(std::string_view attribute, std::string_view fallback) const {
  return node_.text_attribute(attribute).value_or(std::string(fallback));
}

std::vector<std::int64_t> ShapeContext::ints_or(std::string_view attribute,
                                                std::vector<std::int64_t> fallback) const {
  return node_.ints_attribute(attribute).value_or(std::move(fallback));
}

void ShapeContext::set_output(std::size_t index, DType dtype, Shape shape,
                              std::shared_ptr<const Constant> constant) {
  const ValueId id = node_.output(index);
  if (id == kNoValue) return;
  check_size_limit(shape);
  Tensor& tensor = graph_.value(id).tensor;
  if (dtype != DType::unknown) tensor.dtype = dtype;
  tensor.shape = std::move(shape);
  tensor.constant = std::move(constant);
}

void ShapeContext::set_output_sequence(std::size_t index, std::vector<Tensor> elements) {
  const ValueId id = node_.output(index);
  if (id != kNoValue) graph_.value(id).sequence = std::move(elements);
}

}  // namespace layersim
