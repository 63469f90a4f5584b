#pragma once
// The contents of a store for a terminal.

#include <string>

#include "sim/store/store_reader.h"

namespace layersim {

[[nodiscard]] std::string store_info_text(const StoreReader& store);

}  // namespace layersim
