// Dense networks for the methods, by libtorch.

#include <torch/torch.h>

#include "trainers/dense_trainer.h"
#include "trainers/torch/torch_mlp.h"
#include "trainers/trainer_module.h"

namespace layersim {
namespace {

class DenseRelu : public torch::nn::Module {
 public:
  DenseRelu(int inputs, const std::vector<int>& hidden) {
    for (const int width : hidden) {
      add(inputs, width);
      inputs = width;
    }
    add(inputs, 1);
    // Begins with the base prediction as it is.
    const torch::NoGradGuard no_grad;
    layers_.back()->weight.mul_(0.1);
    layers_.back()->bias.zero_();
  }

  torch::Tensor forward(torch::Tensor x) {
    for (std::size_t i = 0; i + 1 < layers_.size(); ++i) x = torch::relu(layers_[i]->forward(x));
    return layers_.back()->forward(x).squeeze(1);
  }

  [[nodiscard]] Mlp copy_layers() const {
    Mlp copies;
    for (const auto& layer : layers_) copies.push_back(copy_of(*layer));
    return copies;
  }

 private:
  void add(int inputs, int outputs) {
    layers_.push_back(
        register_module("layer" + std::to_string(layers_.size()), torch::nn::Linear(inputs, outputs)));
  }

  std::vector<torch::nn::Linear> layers_;
};

class LibtorchDenseTrainer final : public DenseTrainer {
 public:
  [[nodiscard]] std::vector<Mlp> train(const DenseTask& task) const override {
    at::set_num_threads(1);
    const DenseOptions& options = task.options;
    const auto rows = static_cast<std::size_t>(task.features->rows());
    const auto columns = static_cast<int>(task.features->columns);
    const torch::Tensor features = matrix_of(task.features->values, rows, columns);
    const torch::Tensor base_ms = matrix_of(task.base_ms, rows, 1).squeeze(1);
    const torch::Tensor time_ms = matrix_of(task.time_ms, rows, 1).squeeze(1);
    const torch::Tensor mean_ms = time_ms.mean();
    std::vector<Mlp> members;
    for (int m = 0; m < options.members; ++m) {
      torch::manual_seed(options.seed * 1000 + static_cast<std::uint64_t>(m));
      DenseRelu network(columns, options.hidden);
      torch::optim::AdamW optimizer(
          network.parameters(),
          torch::optim::AdamWOptions(options.learning_rate).weight_decay(options.weight_decay));
      for (int step = 0; step < options.steps; ++step) {
        // A half cosine down to 0.
        const double rate = options.learning_rate * 0.5 * (1 + std::cos(M_PI * step / options.steps));
        for (auto& group : optimizer.param_groups()) {
          static_cast<torch::optim::AdamWOptions&>(group.options()).lr(rate);
        }
        optimizer.zero_grad();
        const torch::Tensor noisy = features + options.input_noise * torch::randn_like(features);
        const torch::Tensor error_ms = base_ms * torch::exp(network.forward(noisy)) - time_ms;
        const torch::Tensor mape = (error_ms.abs() / time_ms).mean();
        const torch::Tensor rmse = (error_ms * error_ms).mean().sqrt() / mean_ms;
        (mape + options.rmse_weight * rmse).backward();
        optimizer.step();
      }
      members.push_back(network.copy_layers());
    }
    return members;
  }
};

}  // namespace
}  // namespace layersim

const layersim::DenseTrainer* layersim_torch_dense_trainer() {
  static const layersim::LibtorchDenseTrainer kTrainer;
  return &kTrainer;
}
