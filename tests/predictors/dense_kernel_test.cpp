#include "sim/predictors/dense_kernel.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <vector>

using namespace layersim;

namespace {

std::vector<float> random_values(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

std::vector<DenseKernel> kernels_of_this_processor() {
  std::vector<DenseKernel> kernels{dense_kernel_baseline(), dense_kernel()};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0) {
    kernels.push_back(dense_kernel_avx2());
  }
#endif
  return kernels;
}

}  // namespace

TEST_CASE("every kernel multiplies, adds the bias and applies SiLU as double arithmetic does") {
  for (const int outputs : {1, 5, 48}) {
    constexpr int kInputs = 37;
    const auto weights = random_values(static_cast<std::size_t>(outputs) * kInputs, 1);
    const auto bias = random_values(static_cast<std::size_t>(outputs), 2);
    const auto in = random_values(static_cast<std::size_t>(kInputs) * kBlockRows, 3);
    for (const DenseKernel& kernel : kernels_of_this_processor()) {
      for (const bool silu : {false, true}) {
        std::vector<float> out(static_cast<std::size_t>(outputs) * kBlockRows);
        kernel.dense({weights.data(), kInputs}, bias.data(), kInputs, outputs, silu, in.data(), out.data());
        double worst = 0;
        for (int o = 0; o < outputs; ++o) {
          for (int r = 0; r < kBlockRows; ++r) {
            double y = bias[static_cast<std::size_t>(o)];
            for (int i = 0; i < kInputs; ++i) {
              y += static_cast<double>(weights[static_cast<std::size_t>(o * kInputs + i)]) *
                   static_cast<double>(in[static_cast<std::size_t>(i * kBlockRows + r)]);
            }
            if (silu) y /= 1 + std::exp(-y);
            worst = std::max(
                worst, std::abs(y - static_cast<double>(out[static_cast<std::size_t>(o * kBlockRows + r)])));
          }
        }
        CHECK(worst < 1e-5);
      }
    }
  }
}

TEST_CASE("every kernel adds the terms of a time, absent ones included") {
  constexpr int kTerms = 3;
  auto factors = random_values(static_cast<std::size_t>(kTerms) * kBlockRows, 4);
  std::vector<float> terms(factors.size(), -1.0F);
  for (int r = 0; r < kBlockRows; ++r) terms[static_cast<std::size_t>(2 * kBlockRows + r)] = -30;
  for (const DenseKernel& kernel : kernels_of_this_processor()) {
    std::vector<float> out(kBlockRows);
    kernel.log_sum_exp(factors.data(), terms.data(), kTerms, out.data());
    for (std::size_t r = 0; r < kBlockRows; ++r) {
      const double expected = std::log(std::exp(static_cast<double>(factors[r]) - 1) +
                                       std::exp(static_cast<double>(factors[kBlockRows + r]) - 1) +
                                       std::exp(static_cast<double>(factors[2 * kBlockRows + r]) - 30));
      CHECK(static_cast<double>(out[r]) == Approx(expected).margin(1e-5));
    }
  }
}
