#pragma once
// Bars of where the time and the memory of a batch go.

#include <string>

#include "sim/report/report.h"

namespace layersim {

// A bar for each layer, or each block of a long network, in the parts forward, backward and update. For
// reports with a run.
[[nodiscard]] std::string layer_chart(const Report& report);

}  // namespace layersim
