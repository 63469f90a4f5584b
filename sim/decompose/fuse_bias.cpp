#include <algorithm>

#include "sim/decompose/passes.h"

namespace layersim {
namespace {

bool is_convolution(const Node& node) {
  return node.domain.empty() && (node.op == "Conv" || node.op == "ConvTranspose");
}

// Takes a bias as third input, has none, and its weight is the stored second one.
bool accepts_bias(const Rewriter& rewriter, const Node& node) {
  const bool product = node.domain.empty() && (node.op == "MatMul" || node.op == "Gemm");
  return (product || is_convolution(node)) && node.input(2) == kNoValue &&
         rewriter.is_stored(node.input(1)) && !rewriter.is_stored(node.input(0));
}

// One number for each output feature: all other axes have size 1.
bool is_bias(const Rewriter& rewriter, ValueId bias, const Node& producer) {
  if (!rewriter.is_stored(bias)) return false;
  const auto& shape = rewriter.graph().value(bias).tensor.shape;
  const auto& output = rewriter.graph().value(producer.output(0)).tensor.shape;
  if (!shape || !output || shape->empty() || output->empty()) return false;
  const std::size_t axes_behind = is_convolution(producer) ? output->size() - 2 : 0;
  if (shape->size() <= axes_behind || shape->size() > output->size() || output->size() < axes_behind + 1)
    return false;
  const std::size_t feature_axis = shape->size() - 1 - axes_behind;
  for (std::size_t i = 0; i < shape->size(); ++i) {
    const std::int64_t expected = i == feature_axis ? (*output)[output->size() - 1 - axes_behind] : 1;
    if ((*shape)[i] != expected) return false;
  }
  return true;
}

}  // namespace

void fuse_bias(Rewriter& rewriter) {
  for (NodeIndex i = 0; i < rewriter.node_count(); ++i) {
    if (rewriter.removed(i) || !accepts_bias(rewriter, rewriter.node(i))) continue;
    const ValueId sum = rewriter.node(i).output(0);
    const NodeIndex add = rewriter.only_consumer(sum);
    if (!rewriter.is_op(add, "Add") || rewriter.node(add).scope != rewriter.node(i).scope) continue;
    const Node& node = rewriter.node(add);
    const ValueId bias = node.input(0) == sum ? node.input(1) : node.input(0);
    if (!is_bias(rewriter, bias, rewriter.node(i))) continue;
    const ValueId result = node.output(0);
    rewriter.remove(add);
    rewriter.set_input(i, 2, bias);
    rewriter.set_output(i, 0, result);
  }
}

}  // namespace layersim
