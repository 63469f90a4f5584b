#include "sampler/network/torch/optimizers.h"

#include <torch/optim.h>

#include "sim/core/error.h"

namespace layersim {

std::unique_ptr<torch::optim::Optimizer> make_optimizer(Optimizer optimizer, std::vector<at::Tensor> weights) {
  namespace optim = torch::optim;
  constexpr double kRate = 1e-3;
  constexpr double kMomentum = 0.9;
  switch (optimizer) {
    case Optimizer::none: return nullptr;
    case Optimizer::sgd: return std::make_unique<optim::SGD>(std::move(weights), optim::SGDOptions(kRate));
    case Optimizer::momentum:
      return std::make_unique<optim::SGD>(std::move(weights), optim::SGDOptions(kRate).momentum(kMomentum));
    case Optimizer::adagrad:
      return std::make_unique<optim::Adagrad>(std::move(weights), optim::AdagradOptions(kRate));
    case Optimizer::adam: return std::make_unique<optim::Adam>(std::move(weights), optim::AdamOptions(kRate));
    case Optimizer::adamw:
      return std::make_unique<optim::AdamW>(std::move(weights), optim::AdamWOptions(kRate));
    case Optimizer::rmsprop:
      return std::make_unique<optim::RMSprop>(std::move(weights), optim::RMSpropOptions(kRate));
    case Optimizer::adadelta: break;
  }
  throw bad_use("--optimizer: libtorch has no adadelta");
}

}  // namespace layersim
