#pragma once
// Rewrite passes, one a file. decompose.cpp calls them in order.

#include "sim/decompose/rewriter.h"

namespace layersim {

// Nodes from which no output of the graph is made, and nodes of branches that the condition rules out.
void drop_dead_nodes(Rewriter& rewriter);
// Identity nodes between two computed values.
void drop_identities(Rewriter& rewriter);
// Nodes that read stored tensors and shapes alone run once, before the network does.
void fold_constants(Rewriter& rewriter);
// Element-wise spelling of layer normalization and root-mean-square normalization -> one node.
void group_layer_norm(Rewriter& rewriter);
// Element-wise spelling of GELU (by erf or tanh) -> one node.
void group_gelu(Rewriter& rewriter);
// x * sigmoid(x) and the like (SiLU, quick GELU, hard swish, mish) -> one node.
void group_gated_activation(Rewriter& rewriter);
// A stored vector added to the result of a matrix product or convolution -> its bias.
void fuse_bias(Rewriter& rewriter);
// The activation that alone reads the result of a convolution or dense layer -> attribute of that node.
void fuse_activation(Rewriter& rewriter);
// Quantize and dequantize nodes around an operator -> operator on integers.
void fold_quantize(Rewriter& rewriter);

// Batch norms that an export in evaluation mode has folded into convolutions: how many, and why we think so.
struct FoldedBatchNorms {
  std::vector<NodeIndex> convolutions;
  std::string evidence;
};
[[nodiscard]] FoldedBatchNorms find_folded_batchnorm(const Rewriter& rewriter);
// Puts a batch norm behind each of the convolutions, in place of the bias.
void restore_batchnorm(Rewriter& rewriter, const FoldedBatchNorms& folded);

}  // namespace layersim
