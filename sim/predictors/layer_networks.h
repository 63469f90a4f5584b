#pragma once
// The networks of a predictor file for single layers, one for each feature family. They tell what a benchmark
// of the layer would measure; of kinds that none was trained for, the device sheet tells.

#include <span>
#include <vector>

#include "sim/predictors/network_choice.h"
#include "sim/predictors/predictor.h"

namespace layersim {

// All questions may be put by several threads at once.
class LayerNetworks {
 public:
  // `predictor` must stay.
  explicit LayerNetworks(const PredictorFile& predictor) : predictor_(predictor), chooser_(predictor) {}

  [[nodiscard]] bool has_network(const FeatureFamily* family) const;

  // Whole layers; predictions[i] answers queries[i].
  void predict(std::span<const LayerQuery> queries, const Conditions& conditions,
               std::span<LayerPrediction> predictions) const;

  // Times in ms of single passes of one family.
  [[nodiscard]] std::vector<double> times_ms(const FeatureFamily& family,
                                             std::span<const FeatureQuery> passes,
                                             const Conditions& conditions) const;

 private:
  const PredictorFile& predictor_;
  mutable NetworkChooser chooser_;  // keeps devices that it has read
};

}  // namespace layersim
