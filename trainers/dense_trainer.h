#pragma once
// Rows of features -> a dense network that predicts the log factor by which a base prediction is off
// (dense_network.h).

#include <cstdint>
#include <vector>

#include "sim/methods/common/matrix.h"
#include "sim/predictors/trained_network.h"

namespace layersim {

struct DenseOptions {
  std::vector<int> hidden{128, 64, 32, 16};
  int steps = 80;  // each over all rows
  double learning_rate = 3e-3;
  double weight_decay = 0.1;  // decoupled from the gradient (AdamW)
  double input_noise = 0.3;   // standard deviation of what is added to the normalised features in each step
  double rmse_weight = 0.2;   // of RMSE / mean time; the loss is MAPE and this
  int members = 3;            // networks from different first weights
  std::uint64_t seed = 0;
};

// features: normalised. The prediction is base_ms * exp(output).
struct DenseTask {
  const Matrix* features = nullptr;
  std::vector<float> base_ms;
  std::vector<float> time_ms;
  DenseOptions options;
};

class DenseTrainer {
 public:
  virtual ~DenseTrainer() = default;
  DenseTrainer(const DenseTrainer&) = delete;
  DenseTrainer& operator=(const DenseTrainer&) = delete;

  [[nodiscard]] virtual std::vector<Mlp> train(const DenseTask& task) const = 0;

 protected:
  DenseTrainer() = default;
};

}  // namespace layersim
