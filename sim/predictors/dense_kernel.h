#pragma once
// The arithmetic of a fully connected network over a block of rows. Values of a block lie feature by feature
// (values[feature * kBlockRows + row]), so that vector instructions take several rows at once. Each
// instruction set has a source of its own (dense_kernel_*.cpp); the widest that the processor has is chosen
// at run time.

namespace layersim {

inline constexpr int kBlockRows = 64;

// Row-major; rows lie `stride` numbers apart.
struct DenseWeights {
  const float* values;
  int stride;
};

struct DenseKernel {
  // out[o][r] = sum_i weights[o][i] * in[i][r] + bias[o]; SiLU on top where asked for. weights: outputs x
  // inputs, of rows that may go on.
  void (*dense)(DenseWeights weights, const float* bias, int inputs, int outputs, bool silu, const float* in,
                float* out);
  // out[r] = log(sum_k exp(factors[k][r] + terms[k][r])).
  void (*log_sum_exp)(const float* factors, const float* terms, int count, float* out);
};

[[nodiscard]] const DenseKernel& dense_kernel();

// One an instruction set, for dense_kernel() and its test.
[[nodiscard]] DenseKernel dense_kernel_baseline();
[[nodiscard]] DenseKernel dense_kernel_avx2();
[[nodiscard]] DenseKernel dense_kernel_avx512();

}  // namespace layersim
