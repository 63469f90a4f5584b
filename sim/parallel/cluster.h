#pragma once
// So many equal devices, on how many hosts, joined by what.

#include <optional>
#include <string>
#include <string_view>

#include "hwdb/interconnect.h"

namespace layersim {

struct Cluster {
  int devices = 1;
  int hosts = 1;                        // each with the same number of devices
  std::optional<Interconnect> inside;   // a host; nothing where each host has one device
  std::optional<Interconnect> between;  // hosts; nothing where there is one

  [[nodiscard]] int devices_per_host() const { return devices / hosts; }
};

// What a user says of it.
struct ClusterOptions {
  int devices = 1;
  int hosts = 1;
  std::string interconnects;  // keys, comma-separated, at most one a scope; what is not named follows from
                              // the device, and between hosts is kDefaultNetwork
};

inline constexpr std::string_view kDefaultNetwork = "infiniband-hdr";

// Throws bad_use where the devices do not divide evenly, or a key is unknown or does not apply.
[[nodiscard]] Cluster make_cluster(const ClusterOptions& options, const Device& device);

// "nvlink3, between hosts infiniband-hdr".
[[nodiscard]] std::string interconnect_text(const Cluster& cluster);

}  // namespace layersim
