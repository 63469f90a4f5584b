// Activations that multiply x by a gate made of x:
//
//   SiLU        x * Sigmoid(x)              quick GELU   x * Sigmoid(1.702 * x)
//   hard swish  x * HardSigmoid(x), or x * Clip(x + 3, 0, 6) / 6 with the division in either place
//   mish        x * Tanh(Softplus(x))

#include <optional>
#include <string_view>

#include "layers/lowering.h"
#include "sim/decompose/passes.h"

namespace layersim {
namespace {

struct Gate {
  std::string_view op;           // of the node that takes the pattern's place
  ValueId input = kNoValue;      // x
  std::vector<NodeIndex> nodes;  // in order of the data flow
};

bool is_number(const Rewriter& rewriter, ValueId value) {
  return rewriter.is_stored(value) && rewriter.elements(value) == 1;
}

// The operand that is no stored number, of a binary node that has one; else kNoValue.
ValueId beside_number(const Rewriter& rewriter, NodeIndex index) {
  const Node& node = rewriter.node(index);
  if (is_number(rewriter, node.input(1))) return node.input(0);
  return is_number(rewriter, node.input(0)) ? node.input(1) : kNoValue;
}

// The gate that begins before node `index` and ends there.
std::optional<Gate> gate_ending_at(const Rewriter& rewriter, NodeIndex index) {
  const ValueId in = rewriter.node(index).input(0);
  const NodeIndex before = rewriter.producer(in);
  if (rewriter.is_op(index, "Sigmoid")) {
    const bool scaled = rewriter.is_op(before, "Mul") && rewriter.only_consumer(in) == index;
    const ValueId unscaled = scaled ? beside_number(rewriter, before) : kNoValue;
    if (unscaled != kNoValue) return Gate{"Gelu", unscaled, {before, index}};
    return Gate{"Silu", in, {index}};
  }
  if (rewriter.is_op(index, "HardSigmoid")) return Gate{"HardSwish", in, {index}};
  if (rewriter.is_op(index, "Tanh") && rewriter.is_op(before, "Softplus") &&
      rewriter.only_consumer(in) == index) {
    return Gate{"Mish", rewriter.node(before).input(0), {before, index}};
  }
  if (rewriter.is_op(index, "Clip") && rewriter.is_op(before, "Add") && rewriter.only_consumer(in) == index) {
    if (const ValueId x = beside_number(rewriter, before); x != kNoValue)
      return Gate{"HardSwish", x, {before, index}};
  }
  return std::nullopt;
}

// Follows the gate to the product with x. A hard swish from Clip also needs the division by 6 before or
// behind it.
bool extend_to_product(const Rewriter& rewriter, Gate& gate) {
  bool divided = !rewriter.is_op(gate.nodes.back(), "Clip");
  const auto take_division = [&] {
    const NodeIndex next = rewriter.only_consumer(rewriter.node(gate.nodes.back()).output(0));
    if (divided || (!rewriter.is_op(next, "Div") && !rewriter.is_op(next, "Mul"))) return;
    if (beside_number(rewriter, next) == kNoValue) return;
    gate.nodes.push_back(next);
    divided = true;
  };
  take_division();
  const ValueId value = rewriter.node(gate.nodes.back()).output(0);
  const NodeIndex product = rewriter.only_consumer(value);
  if (!rewriter.is_op(product, "Mul")) return false;
  const Node& node = rewriter.node(product);
  if ((node.input(0) == value ? node.input(1) : node.input(0)) != gate.input) return false;
  gate.nodes.push_back(product);
  take_division();
  return divided;
}

}  // namespace

void group_gated_activation(Rewriter& rewriter) {
  for (NodeIndex i = 0; i < rewriter.node_count(); ++i) {
    if (rewriter.removed(i)) continue;
    std::optional<Gate> gate = gate_ending_at(rewriter, i);
    if (!gate || !extend_to_product(rewriter, *gate)) continue;
    const NodeIndex last = gate->nodes.back();
    Node activation = rewriter.node(last);
    activation.op = gate->op;
    activation.domain = kFusedDomain;
    activation.inputs = {gate->input};
    activation.attributes.clear();
    for (const NodeIndex index : gate->nodes) {
      if (index != last) rewriter.remove(index);
    }
    rewriter.replace(last, std::move(activation));
  }
}

}  // namespace layersim
