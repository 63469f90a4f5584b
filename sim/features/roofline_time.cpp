#include "sim/features/roofline_time.h"

#include <algorithm>

namespace layersim {
namespace {

// A short kernel that is launched back to back takes about 4 us on a GPU, whatever it does: 3.8 us measured
// on a V100 in "Getting Started with CUDA Graphs", NVIDIA technical blog, 2019. Starting a parallel region on
// a CPU costs the like.
constexpr double kLaunchMs = 0.004;

// 1 GFLOP/s = 1e6 FLOP per ms; 1 GB/s = 1e6 bytes per ms.
constexpr double kPerMs = 1e6;

double pass_ms(const PassWork& work, DType dtype, const Conditions& conditions) {
  const Device& device = *conditions.device;
  const double rate = work.macs > 0 ? matrix_peak(device, dtype, conditions.precision).gflops
                                    : vector_peak(device, dtype).gflops;
  const double arithmetic_ms = work.flop / (rate * kPerMs);
  const double memory_ms = work.bytes() / (device.memory_bandwidth_gb_s * kPerMs);
  return std::max(arithmetic_ms, memory_ms) + work.kernels * kLaunchMs;
}

}  // namespace

PassWork optimizer_work(const LayerQuery& query, const Conditions& conditions) {
  PassWork work;
  if (conditions.mode != Mode::training || query.learned_elements <= 0) return work;
  const OptimizerCost per_element = cost(conditions.optimizer);
  const double element_bytes = bytes(stored_dtype(conditions.precision));
  work.flop = per_element.flop * query.learned_elements;
  work.bytes_read = per_element.reads * query.learned_elements * element_bytes;
  work.bytes_written = per_element.writes * query.learned_elements * element_bytes;
  work.kernels = conditions.optimizer == Optimizer::none ? 0 : 1;
  return work;
}

RooflineTime roofline_time(const LayerQuery& query, const Conditions& conditions) {
  const DType dtype = query.problem->dtype;
  const LayerWork& work = *query.work;
  RooflineTime time;
  time.forward_ms = pass_ms(work.forward, dtype, conditions);
  if (conditions.mode != Mode::training) return time;
  const bool modelled = query.problem->kind != nullptr;
  if (query.needs_input_gradient) {
    time.backward_data_ms = pass_ms(modelled ? work.backward_data : work.forward, dtype, conditions);
  }
  if (query.needs_weight_gradient) {
    time.backward_weight_ms = pass_ms(work.backward_weight, dtype, conditions);
  }
  time.optimizer_ms =
      pass_ms(optimizer_work(query, conditions), stored_dtype(conditions.precision), conditions);
  return time;
}

}  // namespace layersim
