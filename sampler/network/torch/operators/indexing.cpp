// Embeddings and other operators that pick elements by index.

#include <ATen/Functions.h>

#include "sampler/network/torch/node_operator.h"

namespace layersim {
namespace {

// One number that is known before: a view, as x[:, 0] in a model.
NodeCall prepare_select(std::int64_t axis, std::int64_t index) {
  return [axis, index](const Tensors& inputs) { return Tensors{at::select(inputs[0], axis, index)}; };
}

NodeCall prepare_gather(const NodeView& view) {
  const std::int64_t axis = view.axis(0);
  const bool is_embedding = axis == 0 && view.is_stored(0) && view.shape(0).size() == 2 && view.is_float(0);
  if (is_embedding) {
    return [](const Tensors& inputs) { return Tensors{at::embedding(inputs[0], inputs[1])}; };
  }
  if (view.shape(1).empty() && view.number(1)) {
    return prepare_select(axis, static_cast<std::int64_t>(*view.number(1)));
  }
  return [axis, shape = view.output_shape()](const Tensors& inputs) {
    return Tensors{at::index_select(inputs[0], axis, inputs[1].reshape(-1)).reshape(shape)};
  };
}

NodeCall prepare_gather_elements(const NodeView& view) {
  return [axis = view.axis(0)](const Tensors& inputs) {
    return Tensors{at::gather(inputs[0], axis, inputs[1])};
  };
}

NodeCall prepare_cumulative_sum(const NodeView& view) {
  view.require(view.int_or("exclusive", 0) == 0 && view.int_or("reverse", 0) == 0,
               "a sum that runs backwards or leaves out its own element");
  const auto axis = view.number(1);
  view.require(axis.has_value(), "an axis that is computed");
  return [axis = static_cast<std::int64_t>(axis.value_or(0))](const Tensors& inputs) {
    return Tensors{at::cumsum(inputs[0], axis)};
  };
}

NodeCall prepare_top(const NodeView& view) {
  const std::int64_t axis = view.axis(-1);
  const std::int64_t count = view.output_shape().at(static_cast<std::size_t>(axis));
  const bool largest = view.int_or("largest", 1) != 0;
  const bool sorted = view.int_or("sorted", 1) != 0;
  return [=](const Tensors& inputs) {
    auto [values, indices] = at::topk(inputs[0], count, axis, largest, sorted);
    return Tensors{values, indices};
  };
}

}  // namespace

std::span<const NodeOperator> indexing_operators() {
  static constexpr NodeOperator kOperators[] = {
      {"Gather", prepare_gather},
      {"GatherElements", prepare_gather_elements},
      {"CumSum", prepare_cumulative_sum},
      {"TopK", prepare_top},
  };
  return kOperators;
}

}  // namespace layersim
