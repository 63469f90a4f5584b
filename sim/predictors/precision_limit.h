#pragma once
// What was not measured in a precision is extrapolated from the published rates of matrix units, and may come
// out slower than fp32. No library takes a slower kernel for less precision on purpose: fp32 is the limit.

#include <deque>
#include <span>
#include <vector>

#include "sim/predictors/predictor.h"

namespace layersim {

// tf32, fp16, bf16, mixed, fp8: floating point with less than fp32 has.
[[nodiscard]] bool is_below_fp32(Precision precision);

// The same layers with all floating-point numbers in fp32.
class Fp32Queries {
 public:
  explicit Fp32Queries(std::span<const LayerQuery> queries);

  [[nodiscard]] std::span<const LayerQuery> queries() const { return queries_; }

 private:
  std::deque<Problem> problems_;  // stay in place
  std::deque<LayerWork> works_;
  std::vector<LayerQuery> queries_;
};

// No pass takes longer than in fp32; the interval goes down with it.
void limit_to_fp32(const LayerPrediction& fp32, LayerPrediction& prediction);

}  // namespace layersim
