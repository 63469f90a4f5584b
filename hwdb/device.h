#pragma once
// A device as its data file describes it. Every number has its unit in the name; nothing means "not
// published" or "does not have it" (no tensor cores, say).

#include <optional>
#include <string>
#include <vector>

namespace layersim {

struct Device {
  std::string key;           // "k80"
  std::string display_name;  // "Tesla K80 (one of two chips)"
  std::vector<std::string> aliases;
  std::string device_type;   // "gpu" or "cpu"
  std::string manufacturer;  // "nvidia", "amd", "intel" ...
  std::string technology;    // microarchitecture: "kepler", "pascal", "gcn5", "cdna2", "skylake" ...
  std::string chip;          // "GK210"
  std::string market;        // "datacenter", "workstation", "gaming", "server"
  int year = 0;
  int chips_on_board = 1;      // all other numbers are for one chip
  double multiprocessors = 0;  // SMs, compute units or CPU cores
  double cores = 0;            // fp32 lanes: CUDA cores, stream processors; CPU: cores x fp32 SIMD lanes
  double flop_per_core_per_clock = 2;
  double clock_base_mhz = 0;
  double clock_boost_mhz = 0;
  double clock_peak_mhz = 0;  // the clock that the peak figures are for
  double peak_fp32_gflops = 0;
  std::optional<double> peak_fp64_gflops;
  std::optional<double> peak_fp16_gflops;         // without tensor cores
  std::optional<double> peak_fp16_tensor_gflops;  // dense, fp32 accumulation, as are the following
  std::optional<double> peak_bf16_tensor_gflops;
  std::optional<double> peak_tf32_tensor_gflops;
  std::optional<double> peak_fp8_tensor_gflops;
  std::optional<double> peak_int8_gops;  // dense, tensor cores or dp4a
  double memory_gib = 0;
  std::string memory_type;  // "gddr5", "hbm2" ...
  double memory_bandwidth_gb_s = 0;
  std::optional<double> l2_cache_mib;
  std::string connectivity;  // "pcie" or "nvlink" ...
  double pcie_generation = 0;
  double pcie_lanes = 0;
  double nvlink_gb_s = 0;  // all links, both directions; 0: none (AMD: Infinity Fabric)
  double tdp_w = 0;        // of one chip's share of the board
};

}  // namespace layersim
