// Normalizations and softmax.

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include "layers/lowering.h"
#include "sampler/network/torch/node_operator.h"

namespace layersim {
namespace {

using Ints = std::vector<std::int64_t>;

// A training step normalizes by the statistics of its batch and updates the running ones.
NodeCall prepare_batch_norm(const NodeView& view) {
  const double momentum = 1 - view.real_or("momentum", 0.9);
  const double epsilon = view.real_or("epsilon", 1e-5);
  return [momentum, epsilon, training = view.training()](const Tensors& inputs) {
    return Tensors{at::batch_norm(inputs[0], inputs[1], inputs[2], inputs[3], inputs[4], training, momentum,
                                  epsilon, true)};
  };
}

at::Tensor shift_of(const Tensors& inputs) { return inputs.size() > 2 ? inputs[2] : at::Tensor(); }
at::Tensor scale_of(const Tensors& inputs) { return inputs.size() > 1 ? inputs[1] : at::Tensor(); }

NodeCall layer_norm_behind(Ints normalized, double epsilon) {
  return [normalized = std::move(normalized), epsilon](const Tensors& inputs) {
    return Tensors{at::layer_norm(inputs[0], normalized, scale_of(inputs), shift_of(inputs), epsilon)};
  };
}

NodeCall prepare_layer_norm(const NodeView& view) {
  view.require(view.node().output(1) == kNoValue && view.node().output(2) == kNoValue,
               "the statistics as outputs");
  const Shape& shape = view.shape(0);
  return layer_norm_behind(Ints(shape.begin() + view.axis(-1), shape.end()), view.real_or("epsilon", 1e-5));
}

// What a model's own code computes: x / sqrt(mean(x^2)) * scale.
NodeCall root_mean_square_norm(Ints axes) {
  constexpr double kEpsilon = 1e-6;
  return [axes = std::move(axes)](const Tensors& inputs) {
    const at::Tensor scaled = inputs[0] * at::rsqrt(at::mean(at::pow(inputs[0], 2), axes, true) + kEpsilon);
    return Tensors{inputs.size() > 1 ? scaled * inputs[1] : scaled};
  };
}

// The file spells it out; the model that it comes from calls nn.LayerNorm.
NodeCall prepare_decomposed_norm(const NodeView& view) {
  const Shape& shape = view.shape(0);
  const auto rank = static_cast<std::int64_t>(shape.size());
  Ints axes = view.ints_or("axes", {-1});
  for (std::int64_t& axis : axes) axis += axis < 0 ? rank : 0;
  if (view.int_or("root_mean_square", 0) != 0) return root_mean_square_norm(axes);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    view.require(axes[i] == rank - static_cast<std::int64_t>(axes.size() - i),
                 "a normalization over axes that are not the last ones");
  }
  constexpr double kEpsilon = 1e-5;
  return layer_norm_behind(Ints(shape.end() - static_cast<std::ptrdiff_t>(axes.size()), shape.end()),
                           kEpsilon);
}

NodeCall prepare_instance_norm(const NodeView& view) {
  const double epsilon = view.real_or("epsilon", 1e-5);
  return [epsilon](const Tensors& inputs) {
    constexpr double kMomentum = 0.1;
    return Tensors{
        at::instance_norm(inputs[0], inputs[1], inputs[2], {}, {}, true, kMomentum, epsilon, true)};
  };
}

NodeCall prepare_group_norm(const NodeView& view) {
  const std::int64_t groups = view.int_or("num_groups", 1);
  const double epsilon = view.real_or("epsilon", 1e-5);
  return [groups, epsilon](const Tensors& inputs) {
    return Tensors{at::group_norm(inputs[0], groups, inputs[1], inputs[2], epsilon)};
  };
}

// Up to opset 12 all axes from `axis` on are one, and it is the second by default.
NodeCall prepare_softmax(const NodeView& view) {
  constexpr int kOneAxis = 13;
  const bool one_axis = view.node().opset >= kOneAxis;
  const std::int64_t axis = view.axis(one_axis ? -1 : 1);
  const auto rank = static_cast<std::int64_t>(view.shape(0).size());
  view.require(one_axis || axis == rank - 1, "a softmax over several axes");
  if (view.node().op == "LogSoftmax") {
    return [axis](const Tensors& inputs) { return Tensors{at::log_softmax(inputs[0], axis)}; };
  }
  return [axis](const Tensors& inputs) { return Tensors{at::softmax(inputs[0], axis)}; };
}

}  // namespace

std::span<const NodeOperator> norm_operators() {
  static constexpr NodeOperator kOperators[] = {
      {"BatchNormalization", prepare_batch_norm},
      {"LayerNormalization", prepare_layer_norm},
      {"DecomposedLayerNormalization", prepare_decomposed_norm, kFusedDomain},
      {"InstanceNormalization", prepare_instance_norm},
      {"GroupNormalization", prepare_group_norm},
      {"Softmax", prepare_softmax},
      {"LogSoftmax", prepare_softmax},
  };
  return kOperators;
}

}  // namespace layersim
