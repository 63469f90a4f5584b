#pragma once
// What a step of a network asks of a device, summed over its layers: the features of the methods that do not
// look at single layers. Work counts all passes of the step (forward; in training both gradients), times are
// those of the device sheet (roofline_time.h).

#include <string>
#include <vector>

#include "sim/decompose/decompose.h"
#include "sim/features/conditions.h"
#include "sim/features/feature_family.h"
#include "sim/features/layer_query.h"

namespace layersim {

struct NamedNumber {
  std::string name;  // ends in its unit; counts have none
  double value = 0;
};

struct LayerPass {
  Pass pass = Pass::forward;
  const PassWork* work = nullptr;
};
// Passes of a layer that take place in a step of this mode: forward, backward_data, backward_weight.
[[nodiscard]] std::vector<LayerPass> layer_passes(const LayerQuery& query, Mode mode);

// Throws nothing_predicted, as `predict` does, for a network of which nothing is left to run.
void check_has_layers(const Network& network);

// What is to be told of times of the network: what was assumed while it was taken apart, and
// unmodelled_warning().
[[nodiscard]] std::vector<std::string> network_warnings(const Network& network);

// Always the same names in the same order.
[[nodiscard]] std::vector<NamedNumber> step_features(const Network& network, const Conditions& conditions);
// Of the device alone.
[[nodiscard]] std::vector<NamedNumber> sheet_features(const Conditions& conditions);

}  // namespace layersim
