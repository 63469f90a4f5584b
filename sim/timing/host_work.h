#pragma once
// What the host does for a step of a network.

#include <span>
#include <vector>

#include "sim/decompose/decompose.h"
#include "sim/features/layer_query.h"
#include "sim/predictors/run_model.h"

namespace layersim {

class StepHostWork {
 public:
  // `queries` as make_queries gives them. Of `conditions` the device does not matter.
  StepHostWork(const Network& network, std::span<const LayerQuery> queries, const Conditions& conditions);

  // `repeats` as layer_repeats gives them, parallel to network.layers.
  [[nodiscard]] HostWork total(std::span<const double> repeats) const;

 private:
  std::vector<HostWork> layers_;  // of one execution
  double input_bytes_ = 0;
};

}  // namespace layersim
