#pragma once
// Devices as JSON.

#include <optional>
#include <string>
#include <vector>

#include "hwdb/device.h"
#include "sim/core/json.h"
#include "sim/features/conditions.h"

namespace layersim {

// GFLOP/s of dense matrix products; nothing where the device has no such arithmetic.
[[nodiscard]] std::optional<double> own_peak_gflops(const Device& device, Precision precision);

[[nodiscard]] Json device_json(const Device& device);
// {"schema_version": 1, "gpus": [...]}
[[nodiscard]] std::string devices_json(const std::vector<Device>& devices);

}  // namespace layersim
