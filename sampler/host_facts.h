#pragma once
// What the system tells of this machine, for provenance and for a device file of its CPU.

#include <filesystem>
#include <optional>
#include <string>

namespace layersim {

struct HostFacts {
  std::string cpu;                     // "AMD EPYC 7763 64-Core Processor"
  std::string manufacturer;            // "amd", "intel" ... or the vendor as the system writes it
  int processors = 1;                  // that this process may use
  int simd_lanes = 1;                  // fp32 numbers in a register
  double memory_gib = 0;               // that this process may use: a container may have a limit
  double available_gib = 0;            // of it, now, without swapping
  std::optional<double> clock_mhz;     // now, of the first processor
  std::string governor;                // of its clock; empty where the system does not tell
  std::optional<double> l2_cache_mib;  // of one core
  std::optional<double> l3_cache_mib;  // as the first processor sees it
};

// `root` stands for the folder "/".
[[nodiscard]] HostFacts read_host_facts(const std::filesystem::path& root = "/");

}  // namespace layersim
