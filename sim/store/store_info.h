#pragma once
// What a store holds, for people and for programs.

#include <cstddef>
#include <string>

#include "sim/core/json.h"
#include "sim/store/store_reader.h"

namespace layersim {

// Kinds with rows, GPUs, frameworks and columns; the provenance records.
[[nodiscard]] Json store_info_json(const StoreReader& store);

}  // namespace layersim
