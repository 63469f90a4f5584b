#pragma once
// The one way from a network to the time of a batch: `predict` and `validate` both go it.

#include <vector>

#include "sim/core/warnings.h"
#include "sim/decompose/decompose.h"
#include "sim/predictors/predictor.h"
#include "sim/timing/step_time.h"

namespace layersim {

struct NetworkTime {
  std::vector<double> repeats;          // parallel to network.layers, as layer_repeats gives them
  std::vector<LayerPrediction> layers;  // the same, over all repeats
  StepTime step;
};

[[nodiscard]] NetworkTime network_time(const Network& network, const Conditions& conditions,
                                       const Predictor& predictor, Warnings& warnings);

}  // namespace layersim
