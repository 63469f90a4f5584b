#pragma once

#include "sim/report/report.h"

namespace layersim {

// The row of the activation that is fused into a layer, which must have one: its shape and repeats, and
// nothing of the cost, which is in the layer's own row.
[[nodiscard]] LayerReport fused_row(const LayerReport& layer);

}  // namespace layersim
