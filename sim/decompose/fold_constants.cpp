// A node whose inputs are all stored, or known once shapes are, gives the same result in every run;
// frameworks compute it when they load the network: the transposition of a weight, the Identity nodes behind
// which PyTorch merges equal weights, a mask made from shapes. Its outputs become stored tensors that
// remember what they are made of, so that parameters and bytes are counted once, at the tensors in the file.

#include <algorithm>
#include <array>
#include <string_view>

#include "layers/layer_kind.h"
#include "sim/decompose/passes.h"
#include "sim/graph/shape_rule.h"

namespace layersim {
namespace {

// A different result in each run.
constexpr std::array<std::string_view, 8> kRandom{"RandomNormal",      "RandomUniform", "RandomNormalLike",
                                                  "RandomUniformLike", "Multinomial",   "Bernoulli",
                                                  "Dropout",           "BiasDropout"};
// The result has the type of the first input.
constexpr std::array<std::string_view, 11> kMoves{"Identity", "Transpose", "Reshape", "Flatten",
                                                  "Squeeze",  "Unsqueeze", "Slice",   "Concat",
                                                  "Split",    "Gather",    "Expand"};

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& list, std::string_view op) {
  return std::find(list.begin(), list.end(), op) != list.end();
}

bool has_known_contents(const Tensor& tensor) {
  if (tensor.constant == nullptr || !tensor.shape || !is_known(*tensor.shape)) return false;
  const auto& ints = tensor.constant->ints;
  const auto count = static_cast<std::int64_t>(std::max(ints.size(), tensor.constant->reals.size()));
  return count == element_count(*tensor.shape) &&
         std::find(ints.begin(), ints.end(), kUnknownInt) == ints.end();
}

bool can_fold(const Rewriter& rewriter, const Node& node) {
  if (node.domain == kControlDomain || is_one_of(kRandom, node.op)) return false;
  if (find_operator(node.domain, node.op) == nullptr && find_shape_rule(node.domain, node.op) == nullptr)
    return false;
  return std::all_of(node.inputs.begin(), node.inputs.end(),
                     [&](ValueId input) { return input == kNoValue || rewriter.is_stored(input); });
}

void fold(Rewriter& rewriter, NodeIndex index) {
  const Node node = rewriter.node(index);
  Graph& graph = rewriter.graph();
  std::vector<ValueId> sources;
  Origin origin = Origin::constant;
  for (const ValueId input : node.inputs) {
    if (!rewriter.is_stored(input)) continue;
    sources.push_back(input);
    if (graph.value(input).origin == Origin::weight) origin = Origin::weight;
  }
  rewriter.remove(index);
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    const ValueId output = node.outputs[i];
    if (output == kNoValue) continue;
    // Quantized weights stay as they are stored and are dequantized on the way, so bytes are those of the
    // stored type.
    if (!node.inputs.empty() && node.inputs[0] != kNoValue &&
        (node.op == "DequantizeLinear" || (i == 0 && is_one_of(kMoves, node.op)))) {
      graph.value(output).tensor.dtype = graph.value(node.inputs[0]).tensor.dtype;
    }
    rewriter.mark_stored(output, origin, sources);
  }
}

}  // namespace

void fold_constants(Rewriter& rewriter) {
  const Graph& graph = rewriter.graph();
  for (NodeIndex i = 0; i < rewriter.node_count(); ++i) {
    if (rewriter.removed(i)) continue;
    const Node& node = rewriter.node(i);
    const bool known = !node.outputs.empty() && node.domain != kControlDomain &&
                       std::all_of(node.outputs.begin(), node.outputs.end(), [&](ValueId output) {
                         return output == kNoValue || has_known_contents(graph.value(output).tensor);
                       });
    if (known || can_fold(rewriter, node)) fold(rewriter, i);
  }
}

}  // namespace layersim
