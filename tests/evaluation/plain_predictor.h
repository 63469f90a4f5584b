#pragma once
// Predictors whose answers can be worked out by hand: the time of a layer is a factor times the sum of its
// family's physical terms.

#include <cmath>
#include <string>
#include <vector>

#include "sim/features/device_numbers.h"
#include "sim/predictors/predictor_file.h"

namespace layersim::tests {

// Knows `gpus` on `stack` in a forward pass. The 90 % interval is `width` times the time, either way.
inline TrainedNetwork plain_network(const std::string& family, const std::vector<std::string>& gpus,
                                    const std::string& stack, double factor, double width = 1.1) {
  const FeatureFamily& features = *find_feature_family(family);
  TrainedNetwork network;
  network.family = family;
  network.stack_group = stack;
  network.gpus = gpus;
  network.stacks = {stack};
  const std::size_t inputs = features.features.size() + device_feature_specs().size() + gpus.size() + 1;
  network.mean.assign(inputs, 0);
  network.scale.assign(inputs, 1);
  network.low.assign(features.features.size(), -1e9F);
  network.high.assign(features.features.size(), 1e9F);
  DenseLayer layer{static_cast<int>(inputs), static_cast<int>(features.terms.size()), {}, {}};
  layer.weights.assign(inputs * features.terms.size(), 0);
  layer.bias.assign(features.terms.size(), static_cast<float>(std::log(factor)));
  network.members = {{layer}};
  network.intervals = {{"", "", Pass::forward, {}, {std::log(width)}}};
  for (const std::string& gpu : gpus)
    network.known.push_back({gpu, stack, "fp32", "forward", 100, 10, 0.1, 1, 0.9});
  return network;
}

inline PredictorFile plain_predictor(std::vector<TrainedNetwork> networks, double test_share = 0.2) {
  return {{"0.0", "none", "2026-01-31T12:00:00Z", 1, {}, test_share}, std::move(networks), {}};
}

}  // namespace layersim::tests
