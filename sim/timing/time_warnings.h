#pragma once
// What the user must know about the times of a network's layers, whichever predictor they are from.

#include <span>

#include "sim/core/warnings.h"
#include "sim/predictors/predictor.h"

namespace layersim {

// Of kinds that a trained predictor has not learned; `layers[i]` answers `queries[i]`.
void warn_of_estimates(std::span<const LayerQuery> queries, std::span<const LayerPrediction> layers,
                       Warnings& warnings);

// Of a precision without a published rate, and of convolutions that PyTorch runs in another than the user's.
void warn_of_precision(std::span<const LayerQuery> queries, const Conditions& conditions, Warnings& warnings);

}  // namespace layersim
