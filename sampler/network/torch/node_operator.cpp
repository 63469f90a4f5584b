#include "sampler/network/torch/node_operator.h"

#include <algorithm>

#include "layers/lowering.h"
#include "sim/core/error.h"

namespace layersim {
namespace {

NodeCall with_activation(NodeCall call, const NodeView& view) {
  const AttributeValue* fused = view.node().attribute(kFusedActivation);
  if (fused == nullptr) return call;
  const std::string& op = std::get<std::vector<std::string>>(*fused).at(2);
  const auto activation = find_plain_activation(op);
  view.require(activation != nullptr, "the activation " + op + " behind it is not known");
  return [call = std::move(call), activation](const Tensors& inputs) {
    Tensors outputs = call(inputs);
    outputs.front() = activation(outputs.front());
    return outputs;
  };
}

}  // namespace

const NodeOperator* find_node_operator(const Node& node) {
  for (const auto operators : {activation_operators(), elementwise_operators(), layout_operators(),
                               indexing_operators(), norm_operators(), product_operators(),
                               recurrent_operators(), reduction_operators(), window_operators()}) {
    const auto found = std::find_if(operators.begin(), operators.end(), [&](const NodeOperator& candidate) {
      return candidate.op == node.op && candidate.domain == node.domain;
    });
    if (found != operators.end()) return &*found;
  }
  return nullptr;
}

NodeCall prepare_node(const NodeView& view) {
  const Node& node = view.node();
  const NodeOperator* found = find_node_operator(node);
  if (found == nullptr) {
    const std::string domain = node.domain.empty() ? "" : " of the domain " + node.domain;
    throw Error(ErrorKind::nothing_predicted, "this operator" + domain + " cannot be run");
  }
  return with_activation(found->prepare(view), view);
}

}  // namespace layersim
