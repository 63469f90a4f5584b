#pragma once
// A device that does not exist: one that does, with other numbers.

#include <span>
#include <string>
#include <string_view>

#include "hwdb/device.h"

namespace layersim {

struct DeviceChange {
  std::string key;  // as in the device files: "memory_bandwidth_gb_s"
  double value = 0;
};

// "memory_bandwidth_gb_s=1800". Throws bad_use, which names `subject` ("--set").
[[nodiscard]] DeviceChange parse_device_change(const std::string& subject, std::string_view text);

// The device with these numbers; its name tells them, its key stays: what was learned of the device still
// holds. What follows from a changed number and is not given itself follows: all peaks from `cores` and
// `clock_peak_mhz`, `multiprocessors` from `cores` (and the other way round), `memory_bandwidth_gb_s` from
// bus width and data rate. Throws bad_use for a key that no device has and for values beyond belief.
[[nodiscard]] Device hypothetical_device(const Device& device, std::span<const DeviceChange> changes);

}  // namespace layersim
