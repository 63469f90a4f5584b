#pragma once
// How often each layer runs in one pass: loops count by their trip count, and of branches that only the data
// decides the one that takes longer.

#include <span>
#include <vector>

#include "sim/decompose/decompose.h"
#include "sim/predictors/predictor.h"

namespace layersim {

// Parallel to network.layers; `predictions` are for one execution each. Adds a warning for each undecided
// branch.
[[nodiscard]] std::vector<double> layer_repeats(const Network& network,
                                                std::span<const LayerPrediction> predictions,
                                                Warnings& warnings);

}  // namespace layersim
