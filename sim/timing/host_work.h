#pragma once
// What the host does for a step of a network.

#include <span>

#include "sim/decompose/decompose.h"
#include "sim/predictors/run_model.h"

namespace layersim {

// `repeats` as layer_repeats gives them, parallel to network.layers.
[[nodiscard]] HostWork host_work(const Network& network, std::span<const double> repeats,
                                 const Conditions& conditions);

}  // namespace layersim
