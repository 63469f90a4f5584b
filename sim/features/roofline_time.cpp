#include "sim/features/roofline_time.h"

#include <algorithm>
#include <vector>

namespace layersim {
namespace {

// A short kernel that is launched back to back takes about 4 us on a GPU, whatever it does: 3.8 us measured
// on a V100 in "Getting Started with CUDA Graphs", NVIDIA technical blog, 2019. Starting a parallel region on
// a CPU costs the like.
constexpr double kLaunchMs = 0.004;

// 1 GFLOP/s = 1e6 FLOP per ms; 1 GB/s = 1e6 bytes per ms.
constexpr double kPerMs = 1e6;

struct PassTimes {
  double arithmetic_ms = 0;
  double memory_ms = 0;
  double launch_ms = 0;
};

PassTimes pass_times(const PassWork& work, DType dtype, const Conditions& conditions) {
  const Device& device = *conditions.device;
  const double rate = work.macs > 0 ? matrix_peak(device, dtype, conditions.precision).gflops
                                    : vector_peak(device, dtype).gflops;
  return {.arithmetic_ms = work.flop / (rate * kPerMs),
          .memory_ms = work.bytes() / (device.memory_bandwidth_gb_s * kPerMs),
          .launch_ms = work.kernels * kLaunchMs};
}

double pass_ms(const PassWork& work, DType dtype, const Conditions& conditions) {
  const PassTimes times = pass_times(work, dtype, conditions);
  return std::max(times.arithmetic_ms, times.memory_ms) + times.launch_ms;
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

std::string_view bound_by(const LayerQuery& query, const Conditions& conditions) {
  const LayerWork& work = *query.work;
  std::vector<PassWork> passes{work.forward};
  if (conditions.mode == Mode::training) {
    const bool modelled = query.problem->kind != nullptr;
    if (query.needs_input_gradient) passes.push_back(modelled ? work.backward_data : work.forward);
    if (query.needs_weight_gradient) passes.push_back(work.backward_weight);
  }
  PassTimes sum;
  for (const PassWork& pass : passes) {
    const PassTimes times = pass_times(pass, query.problem->dtype, conditions);
    sum.arithmetic_ms += times.arithmetic_ms;
    sum.memory_ms += times.memory_ms;
    sum.launch_ms += times.launch_ms;
  }
  if (std::max(sum.arithmetic_ms, sum.memory_ms) < sum.launch_ms) return "launch";
  return sum.arithmetic_ms > sum.memory_ms ? "compute" : "memory";
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
