// Frameworks' benchmarks of convolutions and dense layers time the activation behind them within the layer,
// and inference engines run both in one kernel. The activation becomes an attribute of the node, see
// kFusedActivation.

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "layers/lowering.h"
#include "sim/decompose/passes.h"

namespace layersim {
namespace {

// Clip with the lower bound 0 is ReLU6.
bool clips_at_zero(const Rewriter& rewriter, const Node& node) {
  if (const auto low = node.real_attribute("min")) return *low == 0.0;
  return rewriter.stored_number(node.input(1)) == 0.0;
}

std::optional<Activation> fusable_activation(const Rewriter& rewriter, const Node& node) {
  const LayerKind* kind = find_operator_kind(node.domain, node.op);
  if (kind == nullptr || kind->name != "activation") return std::nullopt;
  // Slopes and biases of their own keep an activation apart; Clip has its bounds there.
  if (node.inputs.size() > 1 && node.op != "Clip") return std::nullopt;
  if (node.op == "Clip" && !clips_at_zero(rewriter, node)) return std::nullopt;
  const std::optional<Activation> activation = activation_of_operator(node.op);
  return activation == Activation::other ? std::nullopt : activation;
}

bool takes_activation(const Rewriter& rewriter, const Node& node) {
  const LayerKind* kind = find_operator_kind(node.domain, node.op);
  if (kind == nullptr || node.attribute("activation") != nullptr || node.outputs.size() != 1) return false;
  if (kind->fuses_activation) return true;
  // A product with one stored matrix will be a dense layer.
  return node.op == "MatMul" && rewriter.is_stored(node.input(0)) != rewriter.is_stored(node.input(1));
}

}  // namespace

void fuse_activation(Rewriter& rewriter) {
  for (NodeIndex i = 0; i < rewriter.node_count(); ++i) {
    if (rewriter.removed(i) || !takes_activation(rewriter, rewriter.node(i))) continue;
    const NodeIndex next = rewriter.only_consumer(rewriter.node(i).output(0));
    if (next == kNoNode || rewriter.node(next).scope != rewriter.node(i).scope ||
        rewriter.node(next).input(0) != rewriter.node(i).output(0)) {
      continue;
    }
    const std::optional<Activation> activation = fusable_activation(rewriter, rewriter.node(next));
    if (!activation) continue;
    const ValueId result = rewriter.node(next).output(0);
    const std::string own_name =
        rewriter.node(next).name.empty() ? rewriter.graph().value(result).name : rewriter.node(next).name;
    rewriter.set_attribute(
        i, {std::string(kFusedActivation),
            std::vector<std::string>{std::string(name(*activation)), own_name, rewriter.node(next).op}});
    rewriter.remove(next);
    rewriter.set_output(i, 0, result);
  }
}

}  // namespace layersim
