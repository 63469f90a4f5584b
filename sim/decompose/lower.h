#pragma once
// The last step of the decomposition: nodes -> layers.

#include <string>
#include <unordered_map>
#include <vector>

#include "layers/lowering.h"

namespace layersim {

// One row or more for each node that costs anything, in order. Nodes that only look at data differently
// (free_view.cpp) give none; what has no model is a row that says so.
[[nodiscard]] std::vector<Layer> lower_nodes(Graph& graph, Warnings& warnings);

// True for operators that frameworks run without touching the data, or on the host.
[[nodiscard]] bool is_free_view(const Node& node);

// Which stored tensors the user keeps from being trained, by ValueId: those of layers, and those weights,
// whose name fits one of the globs. `sources` tells what folded tensors were made of. Throws bad_use for a
// glob that fits nothing.
[[nodiscard]] std::vector<bool> freeze_weights(
    const Graph& graph, const std::unordered_map<ValueId, std::vector<ValueId>>& sources,
    const std::vector<Layer>& layers, const std::vector<std::string>& globs);

// Learned numbers and bytes of stored tensors, each counted once, at the first layer that uses it.
struct WeightTotals {
  double params = 0;
  double frozen_params = 0;  // of these
  double bytes = 0;
};
// Sets params, frozen_params and weight_bytes of the layers.
WeightTotals charge_weights(const Graph& graph,
                            const std::unordered_map<ValueId, std::vector<ValueId>>& sources,
                            const std::vector<bool>& frozen, std::vector<Layer>& layers);

// Sets needs_input_gradient and needs_weight_gradient of the layers.
void mark_gradients(const Graph& graph, const std::vector<bool>& frozen, std::vector<Layer>& layers);

// MACs of one forward pass; a range where branches differ.
struct MacRange {
  double low = 0;
  double high = 0;
};
[[nodiscard]] MacRange total_macs(const Graph& graph, const std::vector<Layer>& layers);

}  // namespace layersim
