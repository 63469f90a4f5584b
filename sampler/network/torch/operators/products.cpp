// Dense layers and matrix products.

#include <ATen/Functions.h>

#include "sampler/network/torch/node_operator.h"

namespace layersim {
namespace {

at::Tensor optional_input(const Tensors& inputs, std::size_t index) {
  return index < inputs.size() ? inputs[index] : at::Tensor();
}

// With one stored matrix it is the product of nn.Linear, whose weight lies [out, in]; see StoredTensors for
// the layout in memory.
bool is_linear(const NodeView& view) {
  const bool plain_bias = !view.has_input(2) || view.shape(2).size() == 1;
  return view.is_stored(1) && view.shape(1).size() == 2 && plain_bias;
}

NodeCall prepare_matmul(const NodeView& view) {
  if (is_linear(view)) {
    return [](const Tensors& inputs) {
      return Tensors{at::linear(inputs[0], inputs[1].t(), optional_input(inputs, 2))};
    };
  }
  return [](const Tensors& inputs) {
    at::Tensor product = at::matmul(inputs[0], inputs[1]);
    const at::Tensor bias = optional_input(inputs, 2);
    return Tensors{bias.defined() ? at::add(product, bias) : product};
  };
}

NodeCall prepare_gemm(const NodeView& view) {
  const bool transpose_a = view.int_or("transA", 0) != 0;
  const bool transpose_b = view.int_or("transB", 0) != 0;
  const double alpha = view.real_or("alpha", 1);
  const double beta = view.real_or("beta", 1);
  if (is_linear(view) && !transpose_a && alpha == 1 && beta == 1) {
    return [transpose_b](const Tensors& inputs) {
      const at::Tensor weight = transpose_b ? inputs[1] : inputs[1].t();
      return Tensors{at::linear(inputs[0], weight, optional_input(inputs, 2))};
    };
  }
  return [=](const Tensors& inputs) {
    const at::Tensor a = transpose_a ? inputs[0].t() : inputs[0];
    const at::Tensor b = transpose_b ? inputs[1].t() : inputs[1];
    const at::Tensor c = optional_input(inputs, 2);
    if (c.defined()) return Tensors{at::addmm(c, a, b, beta, alpha)};
    const at::Tensor product = at::mm(a, b);
    return Tensors{alpha == 1 ? product : at::mul(product, alpha)};
  };
}

NodeCall prepare_einsum(const NodeView& view) {
  return [equation = view.text_or("equation", "")](const Tensors& inputs) {
    return Tensors{at::einsum(equation, inputs)};
  };
}

}  // namespace

std::span<const NodeOperator> product_operators() {
  static constexpr NodeOperator kOperators[] = {
      {"MatMul", prepare_matmul},
      {"Gemm", prepare_gemm},
      {"Einsum", prepare_einsum},
  };
  return kOperators;
}

}  // namespace layersim
