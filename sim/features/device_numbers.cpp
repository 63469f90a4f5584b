#include "sim/features/device_numbers.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "sim/features/feature_sink.h"
#include "sim/features/transferable_features.h"

namespace layersim {
namespace {

// Microarchitectures with a one-hot feature of their own. Others have none and are told by their numbers
// alone. No device is of "cdna" or "knl" (their files say cdna1 and knights_landing): these two flags are 0
// always, and the predictors that come along were trained with them so.
constexpr std::array<std::string_view, 18> kTechnologies{
    "kepler", "maxwell", "pascal", "volta", "turing", "ampere", "ada", "hopper",  "blackwell",
    "gcn5",   "cdna",    "cdna2",  "cdna3", "rdna2",  "rdna3",  "knl", "haswell", "skylake"};

// Matrix units and their libraries work for these as they do for fp16, of which there are measurements.
bool is_like_fp16(Precision precision) {
  return precision == Precision::fp16 || precision == Precision::bf16 || precision == Precision::mixed ||
         precision == Precision::fp8;
}

template <typename Sink>
void write_identity(Sink& sink, const Device& device) {
  sink.add("log_peak_fp32", "GFLOP/s", safe_log(device.peak_fp32_gflops));
  sink.add("log_memory_bandwidth", "GB/s", safe_log(device.memory_bandwidth_gb_s));
  sink.add("log_multiprocessors", "1", safe_log(device.multiprocessors));
  sink.add("log_clock", "MHz", safe_log(device.clock_peak_mhz));
  sink.add("log_l2_cache", "MiB", safe_log(device.l2_cache_mib.value_or(1)));
  sink.add("log_memory", "GiB", safe_log(device.memory_gib));
  for (const std::string_view technology : kTechnologies) {
    sink.add(technology, "flag", flag(device.technology == technology));
  }
  for (const std::string_view manufacturer : {"nvidia", "amd", "intel"}) {
    sink.add(manufacturer, "flag", flag(device.manufacturer == manufacturer));
  }
  sink.add("nvlink", "flag", flag(device.nvlink_gb_s > 0));
}

template <typename Sink>
void write_device(Sink& sink, const Conditions& conditions) {
  static const Device kNoDevice;
  write_identity(sink, conditions.device == nullptr ? kNoDevice : *conditions.device);
  sink.add("fp16", "flag", flag(is_like_fp16(conditions.precision)));
  for (const Precision precision : {Precision::bf16, Precision::tf32, Precision::int8}) {
    sink.add(name(precision), "flag", flag(conditions.precision == precision));
  }
  for (const Optimizer optimizer : {Optimizer::sgd, Optimizer::momentum, Optimizer::adagrad,
                                    Optimizer::adadelta, Optimizer::adam, Optimizer::rmsprop}) {
    sink.add(name(optimizer), "flag", flag(conditions.optimizer == optimizer));
  }
}

}  // namespace

DeviceNumbers::DeviceNumbers(const Conditions& conditions) {
  const Device& device = *conditions.device;
  const DType dtype = compute_dtype(conditions.precision);
  matrix_flop_per_ms = matrix_peak(device, dtype, conditions.precision).gflops * 1e6;
  vector_flop_per_ms = vector_peak(device, dtype).gflops * 1e6;
  bytes_per_ms = device.memory_bandwidth_gb_s * 1e6;
  multiprocessors = device.multiprocessors;
  multiprocessor_count = static_cast<std::int64_t>(device.multiprocessors);
  l2_bytes = device.l2_cache_mib.value_or(1) * 1024 * 1024;
  memory_bytes = device.memory_gib * 1024 * 1024 * 1024;
  element_bytes = bytes(dtype);
  optimizer = cost(conditions.optimizer);
  has_optimizer = conditions.optimizer != Optimizer::none;
}

std::span<const FeatureSpec> device_feature_specs() {
  static const NameSink kNames = [] {
    NameSink sink;
    write_device(sink, {});
    return sink;
  }();
  return kNames.specs();
}

std::size_t identity_feature_count() {
  static const std::size_t kCount = [] {
    NameSink sink;
    write_identity(sink, Device{});
    return sink.specs().size();
  }();
  return kCount;
}

std::vector<float> device_features(const Conditions& conditions) {
  std::vector<float> features(device_feature_specs().size());
  ValueSink sink(features.data());
  write_device(sink, conditions);
  return features;
}

std::vector<float> shared_features(const Conditions& conditions, DeviceView view,
                                   std::span<const std::string> gpus, std::span<const std::string> stacks) {
  std::vector<float> features =
      view == DeviceView::full ? device_features(conditions) : transferable_features(conditions);
  for (const auto& gpu : gpus) features.push_back(flag(gpu == conditions.device->key));
  for (const auto& stack : stacks) {
    const bool all_versions = stack.ends_with('*');
    const std::string_view begin = std::string_view(stack).substr(0, stack.size() - (all_versions ? 1 : 0));
    features.push_back(flag(all_versions ? conditions.stack.starts_with(begin) : conditions.stack == stack));
  }
  return features;
}

}  // namespace layersim
