#pragma once
// From measured rows to the networks of a predictor: rows are split by configuration into a training, a
// validation and a test part; a trainer fits each planned network on the first and chooses its best state by
// the second; the second (of few rows both, crosswise) gives the intervals, the third the errors that the
// predictor file tells of itself.

#include <functional>
#include <string>
#include <vector>

#include "sim/predictors/trained_network.h"
#include "trainers/dataset.h"
#include "trainers/trainer.h"

namespace layersim {

struct TrainSettings {
  std::vector<std::string> kinds;  // layer kinds or feature families; empty: all that there are rows of
  std::uint64_t seed = 1;
  double test_share = 0.2;
  // Of the rows that are not for the test.
  double validation_share = 0.15;
  // 0: as planned for each network.
  int epochs = 0;
  int batch_rows = 0;
  int members = 0;
  double learning_rate = 0;
};

// `network`: "conv@tf".
using TrainReport = std::function<void(const std::string& network, const TrainingProgress&)>;

// Throws bad_use when the set has no rows of the kinds, or too few to train on.
[[nodiscard]] std::vector<TrainedNetwork> train_networks(const SampleSet& set, const Trainer& trainer,
                                                         const TrainSettings& settings,
                                                         const TrainReport& report);

}  // namespace layersim
