// Reductions over axes.

#include <ATen/Functions.h>

#include "sampler/network/torch/node_operator.h"

namespace layersim {
namespace {

using Ints = std::vector<std::int64_t>;
using Reduction = at::Tensor (*)(const at::Tensor&, const Ints& axes, bool keep);

at::Tensor mean(const at::Tensor& x, const Ints& axes, bool keep) { return at::mean(x, axes, keep); }
at::Tensor sum(const at::Tensor& x, const Ints& axes, bool keep) { return at::sum(x, axes, keep); }
at::Tensor largest(const at::Tensor& x, const Ints& axes, bool keep) { return at::amax(x, axes, keep); }
at::Tensor smallest(const at::Tensor& x, const Ints& axes, bool keep) { return at::amin(x, axes, keep); }
at::Tensor length(const at::Tensor& x, const Ints& axes, bool keep) { return at::norm(x, 2, axes, keep); }
at::Tensor log_sum(const at::Tensor& x, const Ints& axes, bool keep) { return at::logsumexp(x, axes, keep); }
at::Tensor square_sum(const at::Tensor& x, const Ints& axes, bool keep) {
  return at::sum(at::square(x), axes, keep);
}

template <Reduction Function>
NodeCall prepare_reduction(const NodeView& view) {
  const auto rank = static_cast<std::int64_t>(view.shape(0).size());
  Ints axes = view.attribute_or_input("axes", 1).value_or(Ints{});
  view.require(!axes.empty() || view.int_or("noop_with_empty_axes", 0) == 0, "a reduction over no axis");
  for (std::int64_t axis = 0; axes.empty() && axis < rank; ++axis) axes.push_back(axis);
  const bool keep = view.int_or("keepdims", 1) != 0;
  return [axes = std::move(axes), keep](const Tensors& inputs) {
    return Tensors{Function(inputs[0], axes, keep)};
  };
}

NodeCall prepare_argument(const NodeView& view) {
  const bool smallest = view.node().op == "ArgMin";
  const bool keep = view.int_or("keepdims", 1) != 0;
  return [smallest, keep, axis = view.axis(0)](const Tensors& inputs) {
    return Tensors{smallest ? at::argmin(inputs[0], axis, keep) : at::argmax(inputs[0], axis, keep)};
  };
}

}  // namespace

std::span<const NodeOperator> reduction_operators() {
  static constexpr NodeOperator kOperators[] = {
      {"ReduceMean", prepare_reduction<mean>},
      {"ReduceSum", prepare_reduction<sum>},
      {"ReduceMax", prepare_reduction<largest>},
      {"ReduceMin", prepare_reduction<smallest>},
      {"ReduceL2", prepare_reduction<length>},
      {"ReduceLogSumExp", prepare_reduction<log_sum>},
      {"ReduceSumSquare", prepare_reduction<square_sum>},
      {"ArgMax", prepare_argument},
      {"ArgMin", prepare_argument},
  };
  return kOperators;
}

}  // namespace layersim
