#pragma once
// Feature matrices -> a trained network. One implementation a file, behind this interface.

#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "sim/predictors/trained_network.h"
#include "trainers/dataset.h"

namespace layersim {

struct TrainingOptions {
  std::vector<int> hidden{96, 48};
  int epochs = 40;
  int batch_rows = 512;
  double learning_rate = 3e-3;
  double weight_decay = 1e-5;
  double huber_delta = 0.1;       // of log(time)
  double one_hot_dropout = 0.15;  // share of rows that do not see their device, so that unseen devices work
  std::uint64_t seed = 0;
};

struct TrainingProgress {
  int epoch = 0;
  int epochs = 0;
  double training_loss = 0;
  double validation_mape = 0;
  double elapsed_s = 0;
};

class Trainer {
 public:
  virtual ~Trainer() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  // The weights of the epoch that did best on the validation rows. `report` is called after each epoch.
  [[nodiscard]] virtual TrainedNetwork train(
      const FeatureMatrix& training, const FeatureMatrix& validation, const TrainingOptions& options,
      const std::function<void(const TrainingProgress&)>& report) const = 0;
};

}  // namespace layersim
