#pragma once
// Layers of a network -> questions to a predictor.

#include <vector>

#include "sim/decompose/decompose.h"
#include "sim/features/layer_query.h"

namespace layersim {

// One query a layer, in the same order. They point into `network`, which must stay.
[[nodiscard]] std::vector<LayerQuery> make_queries(const Network& network);

}  // namespace layersim
