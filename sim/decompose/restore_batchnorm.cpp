#include "sim/decompose/passes.h"

namespace layersim {

// The convolution loses its bias and a BatchNormalization with scale, shift, mean and variance follows.
void restore_batchnorm(Rewriter& rewriter, const FoldedBatchNorms& folded) {
  for (const NodeIndex index : folded.convolutions) {
    const Node convolution = rewriter.node(index);
    const ValueId result = convolution.output(0);
    const Tensor tensor = rewriter.graph().value(result).tensor;
    if (!tensor.shape || tensor.shape->size() < 2) continue;
    const std::string name =
        convolution.name.empty() ? rewriter.graph().value(result).name : convolution.name;
    Node norm;
    norm.name = name + ".batchnorm";
    norm.op = "BatchNormalization";
    norm.opset = convolution.opset;
    norm.scope = convolution.scope;
    norm.inputs = {rewriter.add_value({name + ".convolved", Origin::computed, tensor, {}, {}})};
    for (const char* statistic : {".scale", ".shift", ".mean", ".variance"}) {
      const Tensor channels{tensor.dtype, Shape{(*tensor.shape)[1]}, nullptr};
      norm.inputs.push_back(rewriter.add_value({norm.name + statistic, Origin::weight, channels, {}, {}}));
    }
    norm.outputs = {result};
    Node bare = convolution;
    bare.inputs.resize(2);
    bare.outputs = {norm.inputs[0]};
    rewriter.replace(index, std::move(bare));
    rewriter.insert_after(index, std::move(norm));
  }
  rewriter.compact();
}

}  // namespace layersim
