#pragma once
// The one way from a network to the time of a batch: `predict`, `validate` and `compare` all go it.

#include <memory>
#include <span>
#include <vector>

#include "sim/core/warnings.h"
#include "sim/decompose/decompose.h"
#include "sim/features/distinct_queries.h"
#include "sim/predictors/predictor.h"
#include "sim/timing/host_work.h"
#include "sim/timing/step_time.h"

namespace layersim {

struct NetworkTime {
  std::vector<double> repeats;          // parallel to network.layers, as layer_repeats gives them
  std::vector<LayerPrediction> layers;  // the same, over all repeats
  StepTime step;
};

[[nodiscard]] NetworkTime network_time(const Network& network, const Conditions& conditions,
                                       const Predictor& predictor, Warnings& warnings);

// What a network asks of a predictor, the same for all devices: for studies, which put many networks'
// questions at once. `network` must stay.
class NetworkQuestions {
 public:
  // Of `conditions` the device and the stack do not matter.
  NetworkQuestions(const Network& network, const Conditions& conditions);

  [[nodiscard]] std::span<const LayerQuery> questions() const { return distinct_.queries; }
  // `answers` are those of the predictor to questions() under these conditions.
  [[nodiscard]] NetworkTime time(std::span<const LayerPrediction> answers, const Conditions& conditions,
                                 const Predictor& predictor, Warnings& warnings) const;

 private:
  const Network& network_;
  std::vector<LayerQuery> queries_;
  DistinctQueries distinct_;
  StepHostWork host_;
};

}  // namespace layersim
