#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/core/error.h"
#include "sim/graph/batch_axis.h"
#include "sim/graph/batch_rescaler.h"

namespace layersim {
namespace {

const DeclaredDim* declared_axis(const Value& value, std::size_t axis) {
  return value.declared && axis < value.declared->size() ? &(*value.declared)[axis] : nullptr;
}

// The batch at which the target of a reshape would have had as many elements as its input; 1 for any other
// node.
std::int64_t exported_batch(const Graph& graph, const Node* failed, std::int64_t batch) {
  if (failed == nullptr || failed->op != "Reshape") return 1;
  if (failed->input(0) == kNoValue || failed->input(1) == kNoValue) return 1;
  const auto& shape = graph.value(failed->input(0)).tensor.shape;
  const auto& target = graph.value(failed->input(1)).tensor.constant;
  if (!shape || !is_known(*shape) || target == nullptr) return 1;
  const Shape& sizes = target->ints;
  if (std::any_of(sizes.begin(), sizes.end(), [](std::int64_t size) { return size <= 0; })) return 1;
  const double wanted = std::accumulate(sizes.begin(), sizes.end(), 1.0,
                                        [](double a, std::int64_t b) { return a * static_cast<double>(b); });
  const auto count = static_cast<double>(std::max<std::int64_t>(element_count(*shape), 1));
  const double exported = wanted / count * static_cast<double>(batch);
  return exported >= 1 && exported <= 1e6 ? std::llround(exported) : 1;
}

}  // namespace

std::optional<BatchChange> find_batch_override(const Graph& graph) {
  BatchChange change;
  change.axes = find_batch_axes(graph);
  bool found = false;
  for (std::size_t i = 0; i < change.axes.size(); ++i) {
    auto& axis = change.axes[i];
    if (!axis) continue;
    const Value& value = graph.value(graph.inputs[i]);
    const DeclaredDim* dim = declared_axis(value, *axis);
    const bool fixed =
        dim != nullptr && dim->size > 0 && value.tensor.shape && *axis < value.tensor.shape->size();
    const std::int64_t bound = fixed ? (*value.tensor.shape)[*axis] : 0;
    if (fixed && !found && bound != dim->size) {
      change.in_file = dim->size;
      change.wanted = bound;
      found = true;
    }
    if (!fixed || bound == dim->size || dim->size != change.in_file || bound != change.wanted) axis.reset();
  }
  return found ? std::optional(std::move(change)) : std::nullopt;
}

std::optional<BatchChange> guess_batch_change(const Graph& graph, const Node* failed) {
  BatchChange change;
  change.axes = find_batch_axes(graph);
  change.wanted = 0;
  for (std::size_t i = 0; i < change.axes.size(); ++i) {
    auto& axis = change.axes[i];
    if (!axis) continue;
    const Value& value = graph.value(graph.inputs[i]);
    const DeclaredDim* dim = declared_axis(value, *axis);
    const bool open =
        dim != nullptr && dim->size < 0 && value.tensor.shape && *axis < value.tensor.shape->size();
    const std::int64_t bound = open ? (*value.tensor.shape)[*axis] : 0;
    if (change.wanted == 0) change.wanted = bound;
    if (!open || bound != change.wanted) axis.reset();
  }
  if (change.wanted <= 0) return std::nullopt;
  change.in_file = exported_batch(graph, failed, change.wanted);
  return change.in_file != change.wanted ? std::optional(std::move(change)) : std::nullopt;
}

bool outputs_carry_batch(const Graph& graph) {
  const auto axes = find_batch_axes(graph);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const Value& input = graph.value(graph.inputs[i]);
    const DeclaredDim* dim = axes[i] ? declared_axis(input, *axes[i]) : nullptr;
    if (dim == nullptr || dim->symbol.empty() || !input.tensor.shape) continue;
    for (const ValueId id : graph.outputs) {
      const Value& output = graph.value(id);
      const auto& shape = output.tensor.shape;
      if (!output.declared || !shape || shape->size() != output.declared->size()) continue;
      for (std::size_t axis = 0; axis < shape->size(); ++axis) {
        if ((*output.declared)[axis].symbol != dim->symbol || (*shape)[axis] < 0) continue;
        if ((*shape)[axis] != (*input.tensor.shape)[*axes[i]]) return false;
      }
    }
  }
  return true;
}

void set_batch(Graph& graph, const BatchChange& change, std::int64_t batch) {
  for (std::size_t i = 0; i < change.axes.size(); ++i) {
    if (change.axes[i]) (*graph.value(graph.inputs[i]).tensor.shape)[*change.axes[i]] = batch;
  }
}

}  // namespace layersim
