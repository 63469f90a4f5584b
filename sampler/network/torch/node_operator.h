#pragma once
// How libtorch runs each operator of the graph. An operator is prepared once for its node, when everything
// that the attributes say is worked out and what cannot be run is refused, and then called for each batch
// with tensors alone, so that little more than libtorch's own time is measured.

#include <ATen/core/Tensor.h>

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "sampler/network/torch/node_view.h"

namespace layersim {

using Tensors = std::vector<at::Tensor>;
// Inputs parallel to those of the node, undefined where absent; returns its first outputs.
using NodeCall = std::function<Tensors(const Tensors& inputs)>;

struct NodeOperator {
  std::string_view op;
  NodeCall (*prepare)(const NodeView&);
  std::string_view domain = "";
  bool makes_weights = false;  // itself, from those of its stored inputs: they get no tensor of their own
};

// One list a file in operators/.
[[nodiscard]] std::span<const NodeOperator> activation_operators();
[[nodiscard]] std::span<const NodeOperator> elementwise_operators();
[[nodiscard]] std::span<const NodeOperator> layout_operators();
[[nodiscard]] std::span<const NodeOperator> indexing_operators();
[[nodiscard]] std::span<const NodeOperator> norm_operators();
[[nodiscard]] std::span<const NodeOperator> product_operators();
[[nodiscard]] std::span<const NodeOperator> recurrent_operators();
[[nodiscard]] std::span<const NodeOperator> reduction_operators();
[[nodiscard]] std::span<const NodeOperator> window_operators();

// nullptr where there is none.
[[nodiscard]] const NodeOperator* find_node_operator(const Node& node);
// The call for a node, with the activation that a pass has fused into it. Throws nothing_predicted where
// libtorch has no such operator or not with these attributes.
[[nodiscard]] NodeCall prepare_node(const NodeView& view);

// A call with one input and one output, whatever the attributes.
template <at::Tensor (*Function)(const at::Tensor&)>
NodeCall prepare_unary(const NodeView& /*view*/) {
  return [](const Tensors& inputs) { return Tensors{Function(inputs[0])}; };
}

// The activation behind another operator; `op` is its own operator ("Clip" with the bounds 0 and 6).
[[nodiscard]] at::Tensor (*find_plain_activation(std::string_view op))(const at::Tensor&);

}  // namespace layersim
