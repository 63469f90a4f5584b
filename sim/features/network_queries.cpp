#include "sim/features/network_queries.h"

#include <algorithm>

namespace layersim {
namespace {

bool is_learned(const Value& value) { return value.origin == Origin::weight && is_float(value.tensor.dtype); }

// How many of a node's leading outputs carry a state from one iteration to the next: whatever the first
// iteration gets, the later ones get something that the body's weights made.
std::size_t carried_outputs(const Node& node) {
  if (node.domain != kControlDomain) return 0;
  if (node.op == "LoopEnter") return node.outputs.size();
  if (node.op == "ScanEnter") return static_cast<std::size_t>(node.int_attribute("states").value_or(0));
  return 0;
}

// By value: a learned number lies on the way to it, so that its gradient is asked for.
std::vector<bool> values_with_gradient(const Graph& graph) {
  std::vector<bool> has_gradient(graph.values.size(), false);
  for (const Node& node : graph.nodes) {
    const bool any = std::any_of(node.inputs.begin(), node.inputs.end(), [&](ValueId input) {
      return input != kNoValue &&
             (has_gradient[static_cast<std::size_t>(input)] || is_learned(graph.value(input)));
    });
    const std::size_t carried = carried_outputs(node);
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      const ValueId output = node.outputs[i];
      if (output != kNoValue) has_gradient[static_cast<std::size_t>(output)] = any || i < carried;
    }
  }
  return has_gradient;
}

}  // namespace

std::vector<LayerQuery> make_queries(const Network& network) {
  const std::vector<bool> has_gradient = values_with_gradient(network.graph);
  std::vector<LayerQuery> queries;
  queries.reserve(network.layers.size());
  for (const Layer& layer : network.layers) {
    LayerQuery query;
    query.problem = &layer.problem;
    query.work = &layer.work;
    query.learned_elements = layer.params;
    query.needs_input_gradient = std::any_of(layer.inputs.begin(), layer.inputs.end(), [&](ValueId input) {
      return input != kNoValue && has_gradient[static_cast<std::size_t>(input)];
    });
    query.needs_weight_gradient = std::any_of(
        layer.weights.begin(), layer.weights.end(),
        [&](ValueId weight) { return weight != kNoValue && is_learned(network.graph.value(weight)); });
    queries.push_back(query);
  }
  return queries;
}

}  // namespace layersim
