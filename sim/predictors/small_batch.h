#pragma once
// Measured runs of convolutions begin at 12 to 16 images. What a network makes of fewer is not learned, and
// may be longer than the time of more.

#include <span>
#include <vector>

#include "sim/predictors/step_parts.h"
#include "sim/predictors/trained_network.h"

namespace layersim {

// Sets the time of each convolution of fewer than 16 images to the shortest of it and those with two, four
// ... times the images, up to 16. `times_ms[i]` is that of parts[convolutions[i]], without the launch.
void limit_by_larger_batches(const TrainedNetwork& conv, std::span<const StepPart> parts,
                             std::span<const std::size_t> convolutions, std::span<const LayerQuery> queries,
                             const Conditions& conditions, std::span<double> times_ms);

}  // namespace layersim
