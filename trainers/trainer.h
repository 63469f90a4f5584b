#pragma once
// Normalised feature matrices -> the layers of a feed-forward network. One implementation a file, behind this
// interface; what surrounds it (normalisation, split, intervals, held-out errors) is the same for all and
// stands in train.h.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/predictors/trained_network.h"
#include "trainers/dataset.h"

namespace layersim {

struct TrainingOptions {
  std::vector<int> hidden{96, 48};
  int epochs = 40;
  int batch_rows = 512;
  double learning_rate = 3e-3;  // highest; warm-up over 3 % of the steps, then a half cosine down to 0.5 %
  double weight_decay = 1e-5;   // decoupled from the gradient (AdamW)
  double huber_delta = 0.05;    // of log(predicted / measured)
  double device_dropout =
      0.15;  // share of rows that do not see which device they are from: what a new one looks like
  std::uint64_t seed = 0;
};

// "hidden 96-48, epochs 40, batch 512, ...": for the predictor file.
[[nodiscard]] std::string describe(const TrainingOptions& options, int members);

// What a trainer works on: features already normalised as TrainedNetwork says.
struct TrainingTask {
  const FeatureMatrix* training = nullptr;
  const FeatureMatrix* validation = nullptr;
  int device_column = 0;             // first of the one-hot features of devices
  std::vector<float> absent_device;  // their normalised values for a device without one
  TrainingOptions options;
};

struct TrainingProgress {
  int epoch = 0;  // done
  int epochs = 0;
  double training_loss = 0;
  double validation_mape = 0;  // 0.05 is 5 %
  double elapsed_s = 0;
};
using ProgressReport = std::function<void(const TrainingProgress&)>;

class Trainer {
 public:
  virtual ~Trainer() = default;
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  [[nodiscard]] virtual std::string_view name() const = 0;
  // The weights that did best on the validation rows, which are looked at after every fifth epoch and the
  // last.
  [[nodiscard]] virtual Mlp train(const TrainingTask& task, const ProgressReport& report) const = 0;

 protected:
  Trainer() = default;
};

}  // namespace layersim
