// Feed-forward network by libtorch, in a module of its own that is loaded only to train.

#include <torch/torch.h>

#include <chrono>
#include <cmath>
#include <numeric>
#include <random>

#include "trainers/learning_rate.h"
#include "trainers/torch/torch_mlp.h"
#include "trainers/trainer.h"
#include "trainers/trainer_module.h"

namespace layersim {
namespace {

// The rows of one matrix as tensors.
struct Rows {
  explicit Rows(const FeatureMatrix& matrix)
      : features(matrix_of(matrix.features, matrix.rows(), matrix.feature_count)),
        log_terms(matrix_of(matrix.log_terms_ms, matrix.rows(), matrix.term_count)),
        log_time(matrix_of(matrix.log_time_ms, matrix.rows(), 1).squeeze(1)),
        weights(matrix_of(matrix.weights, matrix.rows(), 1).squeeze(1)) {}

  torch::Tensor features;
  torch::Tensor log_terms;
  torch::Tensor log_time;
  torch::Tensor weights;
};

class LibtorchTrainer : public Trainer {
 public:
  [[nodiscard]] std::string_view name() const override { return "libtorch"; }

  [[nodiscard]] Mlp train(const TrainingTask& task, const ProgressReport& report) const override {
    const auto start = std::chrono::steady_clock::now();
    const TrainingOptions& options = task.options;
    // The networks are too small for more than one thread to pay.
    at::set_num_threads(1);
    torch::manual_seed(options.seed);
    std::mt19937_64 random(options.seed);
    const Rows training(*task.training);
    const Rows validation(*task.validation);
    const auto rows = static_cast<std::int64_t>(task.training->rows());
    const std::int64_t batch = std::min<std::int64_t>(options.batch_rows, rows);
    // A last batch of less than half the size is left out of the epoch; the order changes each time.
    const std::int64_t batches = std::max<std::int64_t>((rows + batch / 2) / batch, 1);
    const std::int64_t steps = batches * options.epochs;
    const torch::Tensor absent = torch::tensor(task.absent_device);
    const auto device_columns = static_cast<std::int64_t>(task.absent_device.size());

    TorchMlp network(task.training->feature_count, options.hidden, task.training->term_count, options.seed);
    torch::optim::AdamW optimizer(network.parameters(), torch::optim::AdamWOptions(options.learning_rate)
                                                            .betas({0.9, 0.99})
                                                            .weight_decay(options.weight_decay));
    std::vector<std::int64_t> order(static_cast<std::size_t>(rows));
    std::iota(order.begin(), order.end(), 0);
    Mlp best;
    double best_mape = 0;
    std::int64_t step = 0;
    for (int epoch = 1; epoch <= options.epochs; ++epoch) {
      std::shuffle(order.begin(), order.end(), random);
      double loss_sum = 0;
      for (std::int64_t b = 0; b < batches; ++b) {
        for (auto& group : optimizer.param_groups()) {
          static_cast<torch::optim::AdamWOptions&>(group.options())
              .lr(scheduled_learning_rate(options.learning_rate, step, steps));
        }
        ++step;
        const std::int64_t count = std::min(batch, rows - b * batch);
        const torch::Tensor pick = torch::from_blob(order.data() + b * batch, {count}, torch::kInt64);
        torch::Tensor x = training.features.index_select(0, pick);
        if (device_columns > 0 && options.device_dropout > 0) {
          const torch::Tensor hidden = torch::rand({count, 1}) < options.device_dropout;
          torch::Tensor device = x.narrow(1, task.device_column, device_columns);
          device.copy_(torch::where(hidden, absent, device));
        }
        const torch::Tensor residual = network.forward(x, training.log_terms.index_select(0, pick)) -
                                       training.log_time.index_select(0, pick);
        const torch::Tensor size = residual.abs();
        const torch::Tensor huber =
            torch::where(size < options.huber_delta, residual * residual * (0.5 / options.huber_delta),
                         size - 0.5 * options.huber_delta);
        const torch::Tensor loss = (huber * training.weights.index_select(0, pick)).mean();
        optimizer.zero_grad();
        loss.backward();
        optimizer.step();
        loss_sum += loss.item<double>();
      }
      if (epoch % 5 != 0 && epoch != options.epochs) continue;
      const torch::NoGradGuard no_grad;
      const torch::Tensor ratio =
          network.forward(validation.features, validation.log_terms) - validation.log_time;
      const double mape = torch::expm1(ratio).abs().mean().item<double>();
      if (best.empty() || mape < best_mape) {
        best_mape = mape;
        best = network.copy_layers();
      }
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
      report({epoch, options.epochs, loss_sum / static_cast<double>(batches), mape, elapsed.count()});
    }
    return best;
  }
};

}  // namespace
}  // namespace layersim

const layersim::Trainer* layersim_torch_trainer() {
  static const layersim::LibtorchTrainer kTrainer;
  return &kTrainer;
}
