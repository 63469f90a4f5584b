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

// In the training part, without the rows kept out for validation and test.
inline constexpr std::size_t kLeastTrainingRows = 50;

struct UntrainedNetwork {
  std::string name;                  // "conv@tf"
  std::vector<std::size_t> samples;  // index into SampleSet::samples
  std::string reason;                // "30 rows, 22 of them to train on; the least is 50"
};

struct TrainingResult {
  std::vector<TrainedNetwork> networks;
  std::vector<UntrainedNetwork> untrained;  // for which there are too few rows
};

// Throws bad_use when the set has no rows of the kinds, and bad_input when it has too few for any network.
[[nodiscard]] TrainingResult train_networks(const SampleSet& set, const Trainer& trainer,
                                            const TrainSettings& settings, const TrainReport& report);

}  // namespace layersim
