#pragma once
// A feed-forward network as libtorch holds it.

#include <ATen/CPUGeneratorImpl.h>
#include <torch/torch.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/predictors/trained_network.h"

namespace layersim {

inline torch::Tensor matrix_of(const std::vector<float>& values, std::size_t rows, int columns) {
  return torch::from_blob(
             const_cast<float*>(values.data()),  // NOLINT: libtorch has no view of constant memory
             {static_cast<std::int64_t>(rows), columns}, torch::kFloat32)
      .clone();
}

inline torch::Tensor column_of(const std::vector<double>& values) {
  return torch::tensor(values).to(torch::kFloat32);
}

inline DenseLayer copy_of(const torch::nn::LinearImpl& layer) {
  const torch::Tensor weight = layer.weight.detach().contiguous();
  const torch::Tensor bias = layer.bias.detach().contiguous();
  DenseLayer copy{static_cast<int>(weight.size(1)), static_cast<int>(weight.size(0)), {}, {}};
  copy.weights.assign(weight.data_ptr<float>(), weight.data_ptr<float>() + weight.numel());
  copy.bias.assign(bias.data_ptr<float>(), bias.data_ptr<float>() + bias.numel());
  return copy;
}

class TorchMlp : public torch::nn::Module {
 public:
  // The weights are drawn from `seed` alone, whatever other threads do.
  TorchMlp(int inputs, const std::vector<int>& hidden, int outputs, std::uint64_t seed) {
    at::Generator generator = at::detail::createCPUGenerator(seed);
    const torch::NoGradGuard no_grad;
    const auto add = [&](const std::string& name, int width) {
      torch::nn::Linear layer = register_module(name, torch::nn::Linear(inputs, width));
      const double bound = 1 / std::sqrt(inputs);  // as torch::nn::Linear draws them
      layer->weight.uniform_(-bound, bound, generator);
      layer->bias.uniform_(-bound, bound, generator);
      layers_.push_back(std::move(layer));
      inputs = width;
    };
    for (const int width : hidden) add("layer" + std::to_string(layers_.size()), width);
    add("last", outputs);
    layers_.back()->weight.mul_(0.1);
    layers_.back()->bias.zero_();
  }

  // A log factor per term.
  torch::Tensor outputs(torch::Tensor x) {
    for (std::size_t i = 0; i + 1 < layers_.size(); ++i) x = torch::silu(layers_[i]->forward(x));
    return layers_.back()->forward(x);
  }

  // Log of the predicted time in ms.
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& log_terms) {
    return torch::logsumexp(outputs(x) + log_terms, 1);
  }

  [[nodiscard]] Mlp copy_layers() const {
    Mlp copies;
    for (const auto& layer : layers_) copies.push_back(copy_of(*layer));
    return copies;
  }

 private:
  std::vector<torch::nn::Linear> layers_;
};

}  // namespace layersim
