#pragma once
// What a predictor file tells of the rows behind a network: how many of each device, stack, precision and
// pass it was trained on, and how well it predicts those that were kept out.

#include <cstddef>
#include <span>
#include <vector>

#include "sim/predictors/trained_network.h"
#include "trainers/dataset.h"

namespace layersim {

// `trained` and `kept_out` are indices into SampleSet::samples; estimates[i] is for kept_out[i]. Sorted by
// device, stack, precision, pass.
[[nodiscard]] std::vector<KnownRows> known_rows(const SampleSet& set, std::span<const std::size_t> trained,
                                                std::span<const std::size_t> kept_out,
                                                std::span<const TimeEstimate> estimates);

}  // namespace layersim
