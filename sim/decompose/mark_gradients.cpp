#include <algorithm>

#include "sim/decompose/lower.h"

namespace layersim {

// A gradient flows back to a tensor only when something learned stands before it; so the first convolution of
// a network computes no gradient of its input.
void mark_gradients(const Graph& graph, const std::vector<bool>& frozen, std::vector<Layer>& layers) {
  std::vector<bool> has_gradient(graph.values.size(), false);
  const auto is_learned = [&](ValueId id) {
    const Value& value = graph.value(id);
    return value.origin == Origin::weight && is_float(value.tensor.dtype) &&
           !frozen[static_cast<std::size_t>(id)];
  };
  const auto has = [&](ValueId id) { return has_gradient[static_cast<std::size_t>(id)]; };
  for (const Node& node : graph.nodes) {
    // What a loop carries may have met weights in an earlier iteration.
    const bool carries = node.domain == kControlDomain && node.op.ends_with("Enter");
    const bool gradient = carries || std::any_of(node.inputs.begin(), node.inputs.end(), [&](ValueId input) {
                            return input != kNoValue && (has(input) || is_learned(input));
                          });
    for (const ValueId output : node.outputs) {
      if (output == kNoValue) continue;
      const DType dtype = graph.value(output).tensor.dtype;
      has_gradient[static_cast<std::size_t>(output)] =
          gradient && (is_float(dtype) || dtype == DType::unknown);
    }
  }
  for (Layer& layer : layers) {
    layer.needs_weight_gradient = std::any_of(layer.weights.begin(), layer.weights.end(), is_learned);
    // Layers inside a node that stands for several have no inputs of their own.
    layer.needs_input_gradient = layer.inputs.empty()
                                     ? layer.weights.empty()
                                     : std::any_of(layer.inputs.begin(), layer.inputs.end(), has);
  }
}

}  // namespace layersim
