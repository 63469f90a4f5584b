#include "sim/features/apply_precision.h"

#include <algorithm>
#include <array>

namespace layersim {
namespace {

void scale_bytes(PassWork& work, double factor) {
  work.bytes_read *= factor;
  work.bytes_written *= factor;
}

bool is_quantized(const Layer& layer) {
  return is_integer(layer.problem.dtype) && layer.work.forward.macs > 0;
}

}  // namespace

Precision precision_of(const Network& network) {
  constexpr std::array kNamed{Precision::fp64, Precision::fp16, Precision::bf16, Precision::fp8,
                              Precision::int8};
  double all = 0;
  std::array<double, kNamed.size()> traffic{};
  for (const Layer& layer : network.layers) {
    const double bytes_moved = layer.work.forward.bytes();
    all += bytes_moved;
    for (std::size_t i = 0; i < kNamed.size(); ++i) {
      const bool is_named = kNamed[i] == Precision::int8 ? is_quantized(layer)
                                                         : layer.problem.dtype == compute_dtype(kNamed[i]);
      if (is_named) traffic[i] += bytes_moved;
    }
  }
  for (std::size_t i = 0; i < kNamed.size(); ++i) {
    if (2 * traffic[i] > all) return kNamed[i];
  }
  return Precision::fp32;
}

std::size_t count_quantized_layers(const Network& network) {
  return static_cast<std::size_t>(std::count_if(network.layers.begin(), network.layers.end(), is_quantized));
}

void apply_precision(Network& network, Precision precision) {
  const DType target = compute_dtype(precision);
  for (Value& value : network.graph.values) {
    if (is_float(value.tensor.dtype)) value.tensor.dtype = target;
  }
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
