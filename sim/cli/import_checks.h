#pragma once
// What `layersim data import` refuses, so that it does not come out when somebody uses the store.

#include <optional>

#include "hwdb/device.h"
#include "sim/store/store_import.h"

namespace layersim {

// Rows of layers: what train and evaluate refuse, other than a device that has no file yet, which may come
// with them: it is warned of. Rows of runs: what validate refuses. All by the same words. `own` stands for
// its key; `warnings` must outlive the checks.
[[nodiscard]] ImportChecks import_checks(const std::optional<Device>& own, Warnings& warnings);

}  // namespace layersim
