#pragma once
// Which software a time is for when the user does not say.

#include <string>

#include "hwdb/device_db.h"
#include "sim/predictors/run_model.h"

namespace layersim {

// The newest stack of which the model knows this device well: at least 10 runs in training, and an error on
// networks left out of at most 15 %; failing that the one with the most runs. For a device without runs: that
// of a known device of the same maker, if there is one; that came out after the device, or the least before
// it; and of those the one of the device that is most like it. Empty for a model without runs.
[[nodiscard]] std::string default_stack(const RunModel& model, const Device& device, const DeviceDb& devices);

// 0: the same; devices of another technology are farther than any of the same.
[[nodiscard]] double device_distance(const Device& a, const Device& b);

}  // namespace layersim
