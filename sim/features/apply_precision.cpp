#include "sim/features/apply_precision.h"

namespace layersim {
namespace {

void scale_bytes(PassWork& work, double factor) {
  work.bytes_read *= factor;
  work.bytes_written *= factor;
}

}  // namespace

Precision precision_of(const Network& network) {
  double f16 = 0;
  double bf16 = 0;
  double f64 = 0;
  double all = 0;
  for (const Layer& layer : network.layers) {
    const double traffic = layer.work.forward.bytes();
    const DType dtype = layer.problem.dtype;
    if (!is_float(dtype)) continue;
    all += traffic;
    if (dtype == DType::f16) f16 += traffic;
    if (dtype == DType::bf16) bf16 += traffic;
    if (dtype == DType::f64) f64 += traffic;
  }
  if (2 * f16 > all) return Precision::fp16;
  if (2 * bf16 > all) return Precision::bf16;
  if (2 * f64 > all) return Precision::fp64;
  return Precision::fp32;
}

void apply_precision(Network& network, Precision precision) {
  const DType target = compute_dtype(precision);
  for (Layer& layer : network.layers) {
    Problem& problem = layer.problem;
    if (is_float(problem.weight_dtype) && problem.weight_dtype != target) {
      const double scaled = layer.weight_bytes * bytes(target) / bytes(problem.weight_dtype);
      network.weight_bytes += scaled - layer.weight_bytes;
      layer.weight_bytes = scaled;
      problem.weight_dtype = target;
    }
    if (!is_float(problem.dtype)) continue;
    const double factor = bytes(target) / bytes(problem.dtype);
    problem.dtype = target;
    if (problem.kind != nullptr) {
      layer.work = problem.kind->work(problem);
    } else {
      scale_bytes(layer.work.forward, factor);
    }
  }
}

}  // namespace layersim
