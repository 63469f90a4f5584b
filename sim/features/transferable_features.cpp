#include "sim/features/transferable_features.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/features/feature_sink.h"
#include "sim/features/instruction_issue.h"

namespace layersim {
namespace {

struct Microarchitecture {
  std::string_view name;
  double usual_gflops_per_w;  // fp32
};

constexpr auto kMicroarchitectures = std::to_array<Microarchitecture>({{"kepler", 20},
                                                                       {"maxwell", 27},
                                                                       {"pascal", 45},
                                                                       {"volta", 56},
                                                                       {"turing", 45},
                                                                       {"ampere", 89},
                                                                       {"ada", 168},
                                                                       {"hopper", 96},
                                                                       {"blackwell", 151},
                                                                       {"gcn5", 44},
                                                                       {"cdna1", 77},
                                                                       {"cdna2", 91},
                                                                       {"cdna3", 218},
                                                                       {"rdna2", 73},
                                                                       {"rdna3", 173}});

template <typename Sink>
void write_inputs(Sink& sink, const Conditions& conditions) {
  static const Device kNoDevice;
  const Device& device = conditions.device == nullptr ? kNoDevice : *conditions.device;
  const double rate = matrix_peak(device, compute_dtype(conditions.precision), conditions.precision).gflops;
  sink.add("amd", "flag", flag(device.manufacturer == "amd"));
  sink.add("log_matrix_rate", "of the fp32 peak", safe_log(rate) - safe_log(device.peak_fp32_gflops));
  sink.add("reduced_precision", "flag", flag(conditions.precision != Precision::fp32));
}

template <typename Sink>
void write_factors(Sink& sink, const Device& device, Precision precision) {
  for (const Microarchitecture& microarchitecture : kMicroarchitectures)
    sink.add(microarchitecture.name, "flag", flag(device.technology == microarchitecture.name));
  sink.add("issue_limit", "1", static_cast<float>(issue_limit(device, precision)));
  sink.add("power_excess", "1", static_cast<float>(power_excess(device)));
}

}  // namespace

std::span<const FeatureSpec> transferable_feature_specs() {
  static const NameSink kNames = [] {
    NameSink sink;
    write_inputs(sink, {});
    return sink;
  }();
  return kNames.specs();
}

std::vector<float> transferable_features(const Conditions& conditions) {
  std::vector<float> features(transferable_feature_specs().size());
  ValueSink sink(features.data());
  write_inputs(sink, conditions);
  return features;
}

std::span<const FeatureSpec> device_factor_specs() {
  static const NameSink kNames = [] {
    NameSink sink;
    write_factors(sink, Device{}, Precision::fp32);
    return sink;
  }();
  return kNames.specs();
}

std::vector<float> device_factors(const Device& device, Precision precision) {
  std::vector<float> factors(device_factor_specs().size());
  ValueSink sink(factors.data());
  write_factors(sink, device, precision);
  return factors;
}

double issue_limit(const Device& device, Precision precision) {
  if (device.device_type != "gpu") return 0;
  const DType dtype = compute_dtype(precision);
  const bool has_matrix_units =
      matrix_peak(device, dtype, precision).gflops > vector_peak(device, dtype).gflops;
  if (has_matrix_units && precision != Precision::fp32) return 0;
  const double issued = issued_threads_of_multiprocessor(device) * instructions_of_scheduler(device);
  return std::max(0.0, std::log(kInstructionsPerFp32 * lanes_of_multiprocessor(device) / issued));
}

double power_excess(const Device& device) {
  const auto* of_device =
      std::find_if(kMicroarchitectures.begin(), kMicroarchitectures.end(),
                   [&](const Microarchitecture& known) { return known.name == device.technology; });
  if (of_device == kMicroarchitectures.end() || device.tdp_w <= 0) return 0;
  return std::max(0.0, std::log(device.peak_fp32_gflops / device.tdp_w / of_device->usual_gflops_per_w));
}

}  // namespace layersim
