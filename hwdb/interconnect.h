#pragma once
// What joins several devices: inside a host (PCIe, NVLink) or between hosts (InfiniBand, Ethernet). One JSON
// file each in configs/interconnects, every number with its unit in the key and its source beside it. A
// device names no interconnect: which one it has follows from its connectivity.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hwdb/device.h"

namespace layersim {

enum class InterconnectScope : unsigned char { host, network };

struct Interconnect {
  std::string key;           // "nvlink3"
  std::string display_name;  // "NVLink 3 (A100 SXM)"
  InterconnectScope scope = InterconnectScope::host;
  std::vector<std::string>
      technologies;               // of the NVLink or fabric devices that have it; empty: PCIe, networks
  double bandwidth_gb_s = 0;      // line rate in one direction: of a device (host), of an adapter (network)
  double adapters_per_host = 1;   // network only
  double efficiency = 1;          // share of the line rate that large collectives get
  double start_latency_us = 0;    // once a collective
  double step_latency_us = 0;     // each step of a ring or tree
  std::vector<DeviceFact> facts;  // all numbers that the file gives a source for

  // What moves from one neighbour to the next, GB/s.
  [[nodiscard]] double effective_gb_s() const { return bandwidth_gb_s * adapters_per_host * efficiency; }
};

// Throws bad_input for anything that is missing, unknown or out of range.
[[nodiscard]] Interconnect read_interconnect_file(const std::filesystem::path& path);
[[nodiscard]] Interconnect read_interconnect_text(const std::string& name, std::string_view text);

class InterconnectDb {
 public:
  InterconnectDb();  // configs/interconnects
  explicit InterconnectDb(std::filesystem::path folder);

  // Throws bad_use, with all keys, when there is none.
  [[nodiscard]] Interconnect find(std::string_view key) const;
  [[nodiscard]] std::vector<Interconnect> all() const;  // by key
  // What the device's connectivity says: NVLink or the fabric of its technology, never faster than its sheet,
  // else PCIe of its generation and lanes. Throws bad_use for a device without either (a CPU).
  [[nodiscard]] Interconnect of_device(const Device& device) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace layersim
