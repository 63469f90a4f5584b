// Matrix products.

#include <numeric>

#include "sim/core/error.h"
#include "sim/import/torchscript/operator.h"
#include "sim/import/torchscript/operators/parts.h"

namespace layersim {

ValueId swap_axes(const TorchCall& call, ValueId tensor, std::size_t rank, std::size_t a, std::size_t b) {
  std::vector<std::int64_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  std::swap(order.at(a), order.at(b));
  return call.emit("Transpose", {tensor}, {{"perm", order}});
}

ValueId linear_layer(const TorchCall& call, ValueId x, ValueId weight, ValueId bias) {
  const auto& shape = call.converter().tensor(x).shape;
  if (!shape) throw ShapeUnknown{};
  if (shape->size() == 2) {
    std::vector<ValueId> inputs{x, weight};
    if (bias != kNoValue) inputs.push_back(bias);
    return call.emit("Gemm", std::move(inputs), {{"transB", std::int64_t{1}}});
  }
  const ValueId product = call.emit("MatMul", {x, swap_axes(call, weight, 2, 0, 1)});
  return bias == kNoValue ? product : call.emit("Add", {product, bias});
}

namespace {

void linear(TorchCall& call) {
  call.give(linear_layer(call, call.tensor(0), call.tensor(1), call.optional_tensor(2)));
}

void matmul(TorchCall& call) { call.give(call.emit("MatMul", {call.tensor(0), call.tensor(1)})); }

// addend, a, b, beta, alpha
void addmm(TorchCall& call) {
  call.give(call.emit("Gemm", {call.tensor(1), call.tensor(2), call.tensor(0)}));
}

void baddbmm(TorchCall& call) {
  const ValueId product = call.emit("MatMul", {call.tensor(1), call.tensor(2)});
  call.give(call.emit("Add", {product, call.tensor(0)}));
}

// equation, tensors
void einsum(TorchCall& call) {
  call.give(call.emit("Einsum", call.tensors(1), {{"equation", call.text(0)}}));
}

}  // namespace

std::span<const TorchOperator> torch_products() {
  static constexpr TorchOperator kOperators[] = {
      {"linear", linear}, {"matmul", matmul},   {"mm", matmul},  {"bmm", matmul},    {"mv", matmul},
      {"addmm", addmm},   {"baddbmm", baddbmm}, {"dot", matmul}, {"einsum", einsum},
  };
  return kOperators;
}

}  // namespace layersim
