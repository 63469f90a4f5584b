#include "sampler/network/torch/node_view.h"

#include <algorithm>

#include "sampler/network/torch/torch_dtype.h"
#include "sim/core/error.h"

namespace layersim {

bool NodeView::is_stored(std::size_t index) const {
  if (!has_input(index)) return false;
  const Origin origin = graph_.value(node_.input(index)).origin;
  return origin == Origin::weight || origin == Origin::constant;
}

bool NodeView::is_float(std::size_t index) const {
  return layersim::is_float(tensor(node_.input(index)).dtype);
}

const Tensor& NodeView::tensor(ValueId id) const {
  require(id != kNoValue, "an input or output is missing");
  return graph_.value(id).tensor;
}

const Shape& NodeView::known_shape(ValueId id, const char* what, std::size_t index) const {
  const auto& shape = tensor(id).shape;
  require(shape && is_known(*shape),
          "the shape of " + (what + (' ' + std::to_string(index))) + " is known only when the network runs");
  return *shape;
}

const Shape& NodeView::shape(std::size_t index) const {
  return known_shape(node_.input(index), "input", index);
}

const Shape& NodeView::output_shape(std::size_t index) const {
  return known_shape(node_.output(index), "output", index);
}

at::ScalarType NodeView::output_dtype(std::size_t index) const {
  return torch_dtype(tensor(node_.output(index)).dtype);
}

std::optional<std::vector<std::int64_t>> NodeView::ints(std::size_t index) const {
  if (!has_input(index)) return std::nullopt;
  const auto& constant = tensor(node_.input(index)).constant;
  const bool known = constant != nullptr && std::find(constant->ints.begin(), constant->ints.end(),
                                                      kUnknownInt) == constant->ints.end();
  require(known, "the contents of input " + std::to_string(index) + " are known only when the network runs");
  return constant->ints;
}

std::optional<double> NodeView::number(std::size_t index) const {
  if (!is_stored(index)) return std::nullopt;
  const auto& constant = tensor(node_.input(index)).constant;
  if (constant == nullptr) return std::nullopt;
  if (constant->reals.size() == 1) return constant->reals.front();
  if (constant->ints.size() != 1 || constant->ints.front() == kUnknownInt) return std::nullopt;
  return static_cast<double>(constant->ints.front());
}

std::int64_t NodeView::int_or(std::string_view attribute, std::int64_t fallback) const {
  return node_.int_attribute(attribute).value_or(fallback);
}

double NodeView::real_or(std::string_view attribute, double fallback) const {
  return node_.real_attribute(attribute).value_or(fallback);
}

std::string NodeView::text_or(std::string_view attribute, std::string_view fallback) const {
  return node_.text_attribute(attribute).value_or(std::string(fallback));
}

std::vector<std::int64_t> NodeView::ints_or(std::string_view attribute,
                                            std::vector<std::int64_t> fallback) const {
  return node_.ints_attribute(attribute).value_or(std::move(fallback));
}

std::optional<std::vector<std::int64_t>> NodeView::attribute_or_input(std::string_view attribute,
                                                                      std::size_t index) const {
  if (auto given = node_.ints_attribute(attribute)) return given;
  return ints(index);
}

std::int64_t NodeView::axis(std::int64_t fallback) const {
  const std::int64_t given = int_or("axis", fallback);
  return given < 0 ? given + static_cast<std::int64_t>(shape(0).size()) : given;
}

void NodeView::require(bool holds, const std::string& what) const {
  if (!holds) throw Error(ErrorKind::nothing_predicted, "does not run here: " + what);
}

}  // namespace layersim
