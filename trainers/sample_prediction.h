#pragma once
// What a trained network says about measured rows.

#include <span>
#include <vector>

#include "sim/predictors/trained_network.h"
#include "trainers/dataset.h"

namespace layersim {

// result[i] is for samples[i], an index into SampleSet::samples.
[[nodiscard]] std::vector<TimeEstimate> predict_samples(const TrainedNetwork& network, const SampleSet& set,
                                                        std::span<const std::size_t> samples);

}  // namespace layersim
