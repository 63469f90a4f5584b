#include "sampler/network/torch/weight_update.h"

#include <torch/optim.h>

#include "sampler/network/torch/optimizers.h"

namespace layersim {

WeightUpdate::WeightUpdate(const GraphProgram& program, Optimizer optimizer) {
  for (const ProgramStep& step : program.steps()) {
    optimizers_.push_back(step.weights.empty() ? nullptr : make_optimizer(optimizer, step.weights));
  }
}

WeightUpdate::~WeightUpdate() = default;

void WeightUpdate::update(std::size_t step) {
  torch::optim::Optimizer* optimizer = optimizers_[step].get();
  if (optimizer == nullptr) return;
  optimizer->step();
  optimizer->zero_grad();
}

void WeightUpdate::update_all() {
  for (std::size_t step = 0; step < optimizers_.size(); ++step) update(step);
}

}  // namespace layersim
