#pragma once
// Runs -> the networks and overheads of a run model. Behind this interface stands the automatic
// differentiation; what surrounds it (normalisation, folds, intervals) is in run_training.h.

#include <array>
#include <functional>
#include <string_view>
#include <vector>

#include "trainers/run_dataset.h"

namespace layersim {

struct RunTrainingOptions {
  std::vector<int> hidden{48, 32};
  int epochs = 25;  // over the runs
  int batch_runs = 24;
  int batch_layers = 96;      // single layers beside them
  double layer_weight = 0.6;  // of all of these against the runs of a batch
  // How many times as often as others a layer that convolves is among them: steps tell convolutions apart
  // least.
  double convolution_draws = 3;
  double operator_draws = 4;  // the same of layers that were timed within networks
  double learning_rate = 3e-3;
  double overhead_rate_factor = 3;  // overheads are few and learn faster
  double weight_decay = 0.1;
  double huber_delta = 0.05;  // of log(predicted / measured)
  // Of how a run's time is divided among its operations, against its time, for each class of operations.
  double operation_weight = 0.03;
  // Of the squares of what networks correct, in log(time), against a run's time. Without it a part that few
  // networks have takes on whatever else is odd in these. Not of convolutions: their algorithms differ
  // widely.
  double correction_weight = 3e-4;
  // Share of runs of a batch that do not see which device they are from: what a new one looks like.
  double device_dropout = 0.15;
  double prior_weight = 0.03;  // of the overheads' priors, over the number of runs
  std::uint64_t seed = 0;
};

// The rows of one family, normalised as TrainedNetwork says.
struct PartMatrix {
  int feature_count = 0;
  int term_count = 0;
  std::vector<float> features;
  std::vector<float> log_terms_ms;
  int device_column = 0;             // first of the one-hot features of devices
  std::vector<float> absent_device;  // their values for a device without one
};

// An overhead shift to be learned, with the standard deviations of its prior around 0.
struct ShiftPlan {
  std::string stack;  // as OverheadShift
  std::string gpu;
  std::array<double, kOverheads> deviation{};
};

// What log factors of terms are linear in: the prior of its weight. Terms of one nature (arithmetic, memory,
// launch) have most of it in common.
struct FactorPlan {
  double arithmetic_mean = 0;  // of arithmetic terms; of others 0
  double deviation = 1;        // of what terms of one nature have in common
};

struct RunTrainingTask {
  const RunSet* set = nullptr;
  std::vector<PartMatrix> parts;  // parallel to RunSet::parts
  std::vector<std::size_t> runs;  // whole steps
  std::vector<std::size_t> layers;
  OverheadLogs prior{};
  std::vector<ShiftPlan> shifts;
  std::vector<std::vector<std::int64_t>> shifts_of_setting;  // parallel to RunSet::settings: those that apply
  std::vector<FactorPlan> factors;
  std::vector<std::vector<float>> factors_of_setting;  // parallel to RunSet::settings; as machine_factors()
  RunTrainingOptions options;
};

struct RunFit {
  std::vector<Mlp> networks;                       // parallel to RunSet::parts
  std::vector<std::vector<float>> factor_weights;  // parallel too; as TrainedNetwork has them
  double smoothness = 0;
  std::vector<OverheadLogs> shifts;  // parallel to the task's
};

struct RunProgress {
  int epoch = 0;
  int epochs = 0;
  double training_mape = 0;
};

class RunTrainer {
 public:
  virtual ~RunTrainer() = default;
  RunTrainer(const RunTrainer&) = delete;
  RunTrainer& operator=(const RunTrainer&) = delete;

  [[nodiscard]] virtual RunFit train(const RunTrainingTask& task,
                                     const std::function<void(const RunProgress&)>& report) const = 0;

 protected:
  RunTrainer() = default;
};

}  // namespace layersim
