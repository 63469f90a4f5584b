// Quantized networks in QDQ form wrap each operator: its inputs come from DequantizeLinear, its output goes
// into QuantizeLinear. Runtimes run such a group as one operator on integers. Here the operator reads the
// integers before the one and makes those behind the other; the pair at the border to floating point stays.

#include <algorithm>
#include <array>
#include <string_view>

#include "layers/lowering.h"
#include "sim/decompose/passes.h"

namespace layersim {
namespace {

// Kinds with integer kernels in the runtimes; normalizations and attention stay in floating point.
constexpr std::array<std::string_view, 9> kKinds{
    "conv", "conv_transpose", "dense", "matmul", "pool", "activation", "concat", "data_movement", "resize"};
constexpr std::array<std::string_view, 2> kElementwise{"Add", "Mul"};
constexpr std::array<std::string_view, 6> kViews{"Reshape",   "Flatten",  "Squeeze",
                                                 "Unsqueeze", "Identity", "Dropout"};

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

bool has_integer_form(const Node& node) {
  if (is_one_of(kViews, node.op) || is_one_of(kElementwise, node.op)) return true;
  const LayerKind* kind = find_operator_kind(node.domain, node.op);
  return kind != nullptr && is_one_of(kKinds, kind->name);
}

bool is_dequantize(const Rewriter& rewriter, NodeIndex index) {
  return index != kNoNode && !rewriter.removed(index) && rewriter.node(index).op == "DequantizeLinear";
}

// All tensors that flow in are dequantized, and a stored second operand of a product is quantized too.
bool reads_quantized(const Rewriter& rewriter, const Node& node) {
  bool any = false;
  for (const ValueId input : node.inputs) {
    if (input == kNoValue || !is_float(rewriter.graph().value(input).tensor.dtype)) continue;
    if (rewriter.is_stored(input)) continue;
    if (!is_dequantize(rewriter, rewriter.producer(input))) return false;
    any = true;
  }
  const LayerKind* kind = find_operator_kind(node.domain, node.op);
  const bool product = kind != nullptr && (kind->name == "conv" || kind->name == "conv_transpose" ||
                                           kind->name == "dense" || kind->name == "matmul");
  if (product && rewriter.is_stored(node.input(1))) {
    return any && is_integer(rewriter.graph().value(node.input(1)).tensor.dtype);
  }
  return any;
}

}  // namespace

void fold_quantize(Rewriter& rewriter) {
  for (NodeIndex i = 0; i < rewriter.node_count(); ++i) {
    if (rewriter.removed(i) || !has_integer_form(rewriter.node(i)) ||
        !reads_quantized(rewriter, rewriter.node(i))) {
      continue;
    }
    const std::vector<ValueId> inputs = rewriter.node(i).inputs;
    for (std::size_t position = 0; position < inputs.size(); ++position) {
      const NodeIndex dequantize = rewriter.producer(inputs[position]);
      if (!is_dequantize(rewriter, dequantize)) continue;
      rewriter.set_input(i, position, rewriter.node(dequantize).input(0));
    }
    for (const ValueId input : inputs) {
      const NodeIndex dequantize = rewriter.producer(input);
      if (is_dequantize(rewriter, dequantize) && !rewriter.is_graph_output(input) &&
          rewriter.consumers(input).empty()) {
        rewriter.remove(dequantize);
      }
    }
    const ValueId output = rewriter.node(i).output(0);
    const NodeIndex quantize = rewriter.only_consumer(output);
    if (quantize == kNoNode || rewriter.node(quantize).op != "QuantizeLinear" ||
        rewriter.node(quantize).input(0) != output) {
      continue;
    }
    const ValueId integers = rewriter.node(quantize).output(0);
    rewriter.remove(quantize);
    rewriter.set_output(i, 0, integers);
  }
}

}  // namespace layersim
