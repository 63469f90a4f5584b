#include "sim/core/error.h"
#include "sim/graph/shape_rule.h"

namespace layersim {
namespace {

// Whether a constant has as many numbers as its tensor has elements.
bool fills(std::size_t count, const Tensor& tensor) {
  return tensor.shape && is_known(*tensor.shape) &&
         static_cast<std::int64_t>(count) == element_count(*tensor.shape);
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

const Shape& ShapeContext::shape(std::size_t index, std::size_t least_rank, std::size_t most_rank) const {
  const Shape& checked = shape(index);
  if (checked.size() >= least_rank && checked.size() <= most_rank) return checked;
  std::string wanted = std::to_string(least_rank);
  if (most_rank == kMaxRank) wanted = "at least " + wanted;
  if (most_rank != kMaxRank && most_rank != least_rank) wanted += " to " + std::to_string(most_rank);
  throw bad_input("input " + std::to_string(index) + " (" + to_string(checked) + ") should have " + wanted +
                  (wanted.ends_with(" 1") || wanted == "1" ? " axis" : " axes"));
}

const Shape& ShapeContext::full_shape(std::size_t index, std::size_t least_rank) const {
  const Shape& known = shape(index, least_rank);
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
  check_limits(shape);
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
