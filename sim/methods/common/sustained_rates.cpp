#include "sim/methods/common/sustained_rates.h"

#include <algorithm>
#include <cmath>

#include "sim/features/instruction_issue.h"
#include "sim/features/transferable_features.h"

namespace layersim {
namespace {

double clock_share(const Device& device) { return std::exp(-power_excess(device) / 2); }

// Of the fp32 lanes, those that get an instruction.
double fed_share(const Device& device) {
  const double issued = issued_threads_of_multiprocessor(device) / lanes_of_multiprocessor(device);
  return std::min(1.0, issued / kInstructionsPerFp32);
}

void scale(std::optional<double>& value, double factor) {
  if (value) *value *= factor;
}

}  // namespace

double issue_rate_ginstr_s(const Device& device) {
  constexpr double kMhzPerGhz = 1e3;
  return device.multiprocessors * issued_threads_of_multiprocessor(device) *
         instructions_of_scheduler(device) * device.clock_peak_mhz / kMhzPerGhz * clock_share(device);
}

Device sustained_device(Device device) {
  if (device.device_type == "cpu") return device;
  const double clock = clock_share(device);
  const double lanes = clock * fed_share(device);
  device.clock_peak_mhz *= clock;
  device.peak_fp32_gflops *= lanes;
  scale(device.peak_fp16_gflops, lanes);
  for (auto* tensor :
       {&device.peak_fp32_tensor_gflops, &device.peak_fp64_gflops, &device.peak_fp64_tensor_gflops,
        &device.peak_fp16_tensor_gflops, &device.peak_bf16_tensor_gflops, &device.peak_tf32_tensor_gflops,
        &device.peak_fp8_tensor_gflops, &device.peak_int8_gops})
    scale(*tensor, clock);
  return device;
}

}  // namespace layersim
