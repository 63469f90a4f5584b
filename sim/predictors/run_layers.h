#pragma once
// Times of a network's layers within a step, by the networks of a run model.

#include <functional>
#include <span>

#include "sim/predictors/predictor.h"
#include "sim/predictors/run_model.h"
#include "sim/predictors/step_parts.h"

namespace layersim {

// Times in ms of parts of a family that the run model has no network for (recurrent layers).
using OtherParts = std::function<std::vector<double>(
    const FeatureFamily& family, std::span<const FeatureQuery>, const Conditions& conditions)>;

// predictions[i] answers queries[i]. `conditions.stack` is the stack that times are for.
void predict_run_layers(const RunModel& model, std::span<const LayerQuery> queries,
                        const Conditions& conditions, const OtherParts& other_parts,
                        std::span<LayerPrediction> predictions);

}  // namespace layersim
