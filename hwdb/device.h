#pragma once
// A device as its data file describes it. Every number has its unit in the name; nothing means "not
// published" or "does not have it" (no tensor cores, say). Of a board with two chips all numbers are for one
// chip.

#include <optional>
#include <string>
#include <vector>

#include "sim/core/dtype.h"

namespace layersim {

// A number or text of the data file, and where it is from.
struct DeviceFact {
  std::string name;    // as the key in the file: "cores"
  std::string value;   // "2496"
  std::string source;  // citation: "NVIDIA, Tesla K80 GPU accelerator ..."
};

struct Device {
  std::string key;           // "k80"
  std::string display_name;  // "Tesla K80 (one of two chips)"
  std::vector<std::string> aliases;
  std::string device_type;     // "gpu" or "cpu"
  std::string manufacturer;    // "nvidia", "amd", "intel" ...
  std::string technology;      // microarchitecture: "kepler", "pascal", "gcn5", "cdna2", "skylake" ...
  std::string chip;            // "GK210"
  std::string market;          // "datacenter", "workstation", "gaming", "server", "desktop"
  int year = 0;                // of introduction
  int chips_on_board = 1;      // or, of a CPU, 1: two sockets count as one device with all their cores
  double multiprocessors = 0;  // SMs, compute units or CPU cores
  double cores = 0;  // fp32 lanes: CUDA cores, stream processors; CPU: cores x SIMD lanes x FMA units
  double flop_per_core_per_clock = 2;  // 4 where two instructions are issued at once (RDNA 3)
  std::optional<double> clock_base_mhz;
  std::optional<double> clock_boost_mhz;
  double clock_peak_mhz = 0;  // the clock that the peak figures are for
  double peak_fp32_gflops = 0;
  std::optional<double> peak_fp32_tensor_gflops;  // true fp32 on matrix units (CDNA)
  std::optional<double> peak_fp64_gflops;
  std::optional<double> peak_fp64_tensor_gflops;
  std::optional<double> peak_fp16_gflops;         // without tensor cores
  std::optional<double> peak_fp16_tensor_gflops;  // dense, fp32 accumulation, as are the following
  std::optional<double> peak_bf16_tensor_gflops;
  std::optional<double> peak_tf32_tensor_gflops;
  std::optional<double> peak_fp8_tensor_gflops;
  std::optional<double> peak_int8_gops;  // dense, tensor cores or dp4a
  double memory_gib = 0;                 // as sold: ECC and the driver take a part of it
  std::string memory_type;               // "gddr5", "hbm2" ...
  double memory_bandwidth_gb_s = 0;
  std::optional<double> memory_bus_width_bits;
  std::optional<double> memory_data_rate_gt_s;  // transfers per pin
  std::optional<double> l2_cache_mib;           // of a CPU: of all cores together
  std::optional<double> l3_cache_mib;           // of a CPU, or AMD's Infinity Cache
  std::string connectivity;    // to other devices: "pcie", "nvlink", "infinity_fabric", "host"
  double pcie_generation = 0;  // 0: a CPU, or a link to the host that is not PCIe
  double pcie_lanes = 0;
  double nvlink_gb_s = 0;         // all links, both directions; 0: none (AMD: Infinity Fabric)
  double tdp_w = 0;               // of one chip's share of the board
  std::vector<DeviceFact> facts;  // all of the above that the file gives a source for, in its order
};

// The highest rate in GFLOP/s (GOP/s of integers) at which the device multiplies matrices of that type, by
// any unit (tensor cores, vector units). Nothing when it has no such arithmetic: libraries then keep the data
// in that form and compute in fp32. TF32 is not a data type: see peak_tf32_tensor_gflops.
[[nodiscard]] std::optional<double> peak_gflops(const Device& device, DType dtype);

}  // namespace layersim
