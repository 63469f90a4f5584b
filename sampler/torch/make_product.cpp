// Matrix products: with weights, and of two activations.

#include "sampler/torch/torch_layer.h"

namespace layersim::torch_sampler {
namespace {

// [matrices, rows, cols], or without the first axis where there is one product only. Transposed matrices lie
// the other way round in memory.
at::Tensor lay_out(const at::Tensor& stored, bool is_transposed) {
  return is_transposed ? stored.transpose(-1, -2) : stored;
}

std::vector<std::int64_t> stored_shape(std::int64_t matrices, std::int64_t rows, std::int64_t cols,
                                       bool is_transposed) {
  if (is_transposed) std::swap(rows, cols);
  if (matrices == 1) return {rows, cols};
  return {matrices, rows, cols};
}

}  // namespace

TorchLayer make_dense(const SampleProblem& sample, const TensorMaker& tensors) {
  const Sizes sizes(sample.problem);
  const at::Tensor x = tensors.input({sizes["rows"], sizes["in_features"]});
  const at::Tensor weight = tensors.weight({sizes["out_features"], sizes["in_features"]});
  const at::Tensor bias = tensors.weight_if(sizes["bias"] != 0, {sizes["out_features"]});
  const Activation activation = sample.problem.activation;
  return {{x}, defined({weight, bias}), [=] { return activate(activation, at::linear(x, weight, bias)); }};
}

TorchLayer make_matmul(const SampleProblem& sample, const TensorMaker& tensors) {
  const Sizes sizes(sample.problem);
  const bool transposed_a = sizes["transposed_a"] != 0;
  const bool transposed_b = sizes["transposed_b"] != 0;
  const at::Tensor a = tensors.input(stored_shape(sizes["matrices_a"], sizes["m"], sizes["k"], transposed_a));
  const auto b_shape = stored_shape(sizes["matrices_b"], sizes["k"], sizes["n"], transposed_b);
  const bool learned = sizes["stored_b"] != 0;
  const at::Tensor b = learned ? tensors.weight(b_shape) : tensors.input(b_shape);
  const auto forward = [=] { return at::matmul(lay_out(a, transposed_a), lay_out(b, transposed_b)); };
  if (learned) return {{a}, {b}, forward};
  return {{a, b}, {}, forward};
}

}  // namespace layersim::torch_sampler
