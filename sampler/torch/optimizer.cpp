#include "sampler/torch/optimizer.h"

#include <torch/optim.h>

#include <memory>

namespace layersim::torch_sampler {
namespace {

// So small that the weights of thousands of steps stay as they were.
constexpr double kLearningRate = 1e-9;

template <typename Kind, typename Options>
std::function<void()> update_by(const std::vector<at::Tensor>& weights, Options options) {
  const auto optimizer = std::make_shared<Kind>(weights, options);
  return [optimizer] { optimizer->step(); };
}

// libtorch's C++ side has none; operator by operator as PyTorch writes it.
std::function<void()> adadelta(const std::vector<at::Tensor>& weights) {
  constexpr double kRho = 0.9;
  constexpr double kEpsilon = 1e-6;
  struct State {
    at::Tensor weight;
    at::Tensor squares;
    at::Tensor deltas;
  };
  std::vector<State> states;
  states.reserve(weights.size());
  for (const at::Tensor& weight : weights) {
    states.push_back({weight, at::zeros_like(weight), at::zeros_like(weight)});
  }
  return [states] {
    const at::NoGradGuard no_gradients;
    for (const State& state : states) {
      const at::Tensor gradient = state.weight.grad();
      state.squares.mul_(kRho).addcmul_(gradient, gradient, 1 - kRho);
      const at::Tensor deviation = state.squares.add(kEpsilon).sqrt_();
      const at::Tensor delta = state.deltas.add(kEpsilon).sqrt_().div_(deviation).mul_(gradient);
      state.deltas.mul_(kRho).addcmul_(delta, delta, 1 - kRho);
      state.weight.add_(delta, -kLearningRate);
    }
  };
}

}  // namespace

std::function<void()> make_update(layersim::Optimizer optimizer, const std::vector<at::Tensor>& weights) {
  using namespace torch::optim;  // NOLINT: names of this function alone
  constexpr double kMomentum = 0.9;
  if (weights.empty()) return {};
  switch (optimizer) {
    case layersim::Optimizer::none:
      return {};
    case layersim::Optimizer::sgd:
      return update_by<SGD>(weights, SGDOptions(kLearningRate));
    case layersim::Optimizer::momentum:
      return update_by<SGD>(weights, SGDOptions(kLearningRate).momentum(kMomentum));
    case layersim::Optimizer::adagrad:
      return update_by<Adagrad>(weights, AdagradOptions(kLearningRate));
    case layersim::Optimizer::adadelta:
      return adadelta(weights);
    case layersim::Optimizer::adam:
      return update_by<Adam>(weights, AdamOptions(kLearningRate));
    case layersim::Optimizer::adamw:
      return update_by<AdamW>(weights, AdamWOptions(kLearningRate));
    case layersim::Optimizer::rmsprop:
      return update_by<RMSprop>(weights, RMSpropOptions(kLearningRate));
  }
  return {};
}

}  // namespace layersim::torch_sampler
