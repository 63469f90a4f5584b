#include "sim/predictors/precision_limit.h"

#include <algorithm>

namespace layersim {

bool is_below_fp32(Precision precision) {
  switch (precision) {
    case Precision::tf32:
    case Precision::fp16:
    case Precision::bf16:
    case Precision::mixed:
    case Precision::fp8:
      return true;
    case Precision::fp64:
    case Precision::fp32:
    case Precision::int8:
      return false;
  }
  return false;
}

Fp32Queries::Fp32Queries(std::span<const LayerQuery> queries) {
  for (const LayerQuery& query : queries) {
    LayerQuery& in_fp32 = queries_.emplace_back(query);
    if (!is_float(query.problem->dtype) || query.problem->dtype == DType::f32) continue;
    Problem& problem = problems_.emplace_back(*query.problem);
    LayerWork& work = works_.emplace_back(*query.work);
    const double factor = bytes(DType::f32) / bytes(problem.dtype);
    problem.dtype = DType::f32;
    if (is_float(problem.weight_dtype)) problem.weight_dtype = DType::f32;
    if (problem.kind != nullptr) {
      work = problem.kind->work(problem);
    } else {
      work.forward.bytes_read *= factor;
      work.forward.bytes_written *= factor;
    }
    in_fp32.problem = &problem;
    in_fp32.work = &work;
  }
}

void limit_to_fp32(const LayerPrediction& fp32, LayerPrediction& prediction) {
  if (fp32.basis == Basis::none || prediction.basis == Basis::none) return;
  const double before_ms = prediction.total_ms();
  prediction.forward_ms = std::min(prediction.forward_ms, fp32.forward_ms);
  prediction.backward_ms = std::min(prediction.backward_ms, fp32.backward_ms);
  if (!prediction.interval_ms || before_ms <= 0) return;
  prediction.interval_ms->low *= prediction.total_ms() / before_ms;
  prediction.interval_ms->high *= prediction.total_ms() / before_ms;
}

}  // namespace layersim
