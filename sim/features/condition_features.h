#pragma once
// The features that all layers of a network share: device, number format, mode, optimizer, software.

#include <algorithm>
#include <array>

#include "sim/features/conditions.h"
#include "sim/features/feature_sink.h"

namespace layersim {

// The values that have a column of their own; others set none of them.
inline constexpr std::array<std::string_view, 3> kManufacturers{"nvidia", "amd", "intel"};
inline constexpr std::array<std::string_view, 17> kTechnologies{
    "kepler", "maxwell", "pascal", "volta", "turing", "ampere", "ada",   "hopper", "blackwell",
    "gcn4",   "gcn5",    "cdna",   "cdna2", "cdna3",  "rdna",   "rdna2", "rdna3"};
inline constexpr std::array<std::string_view, 4> kConnectivities{"pcie", "nvlink", "infinity_fabric", "host"};
// Software that public measurements exist for.
inline constexpr std::array<std::string_view, 11> kStacks{
    "tf1.10",       "tf2.5",  "tf2.7",        "pytorch1.0",    "pytorch1.4", "pytorch2.1",
    "pytorch2.4.1", "torch7", "cudnn-direct", "miopen-direct", "mkl-direct"};

[[nodiscard]] inline std::size_t index_in(std::span<const std::string_view> values, std::string_view value) {
  return static_cast<std::size_t>(std::find(values.begin(), values.end(), value) - values.begin());
}

template <typename Sink>
void add_condition_features(Sink& sink, const Conditions& conditions) {
  const Device& device = *conditions.device;
  sink.add("training", "1", conditions.mode == Mode::training ? 1 : 0);
  sink.one_hot("optimizer", optimizer_names(), static_cast<std::size_t>(conditions.optimizer));
  sink.one_hot("precision", precision_names(), static_cast<std::size_t>(conditions.precision));
  sink.one_hot("stack", kStacks, index_in(kStacks, conditions.stack));
  sink.one_hot("manufacturer", kManufacturers, index_in(kManufacturers, device.manufacturer));
  sink.one_hot("technology", kTechnologies, index_in(kTechnologies, device.technology));
  sink.one_hot("connectivity", kConnectivities, index_in(kConnectivities, device.connectivity));
  sink.add("is_cpu", "1", device.device_type == "cpu" ? 1 : 0);
  sink.add("n_gpus", "1", conditions.n_gpus);
  sink.add("year", "year", device.year);
  sink.add("log_multiprocessors", "1", log_count(device.multiprocessors));
  sink.add("log_cores", "1", log_count(device.cores));
  sink.add("log_clock", "MHz", log_count(device.clock_peak_mhz));
  sink.add("log_memory", "GiB", log_count(device.memory_gib));
  sink.add("log_bandwidth", "GB/s", log_count(device.memory_bandwidth_gb_s));
  sink.add("log_l2_cache", "MiB", log_count(device.l2_cache_mib.value_or(0)));
  sink.add("log_tdp", "W", log_count(device.tdp_w));
  sink.add("log_pcie", "lane", log_count(device.pcie_lanes));
  sink.add("pcie_generation", "1", device.pcie_generation);
  sink.add("log_nvlink", "GB/s", log_count(device.nvlink_gb_s));
  const double peak = matrix_peak(device, compute_dtype(conditions.precision), conditions.precision).gflops;
  sink.add("log_peak_fp32", "GFLOP/s", log_count(device.peak_fp32_gflops));
  sink.add("log_peak", "GFLOP/s", log_count(peak));
  sink.add("log_balance", "FLOP/byte", log_positive(peak / std::max(device.memory_bandwidth_gb_s, 1e-9)));
}

}  // namespace layersim
