#include "sampler/network/torch/weight_update.h"

#include "sampler/torch/optimizer.h"

namespace layersim {

WeightUpdate::WeightUpdate(const GraphProgram& program, Optimizer optimizer) {
  for (const ProgramStep& step : program.steps()) {
    parts_.push_back({step.weights, torch_sampler::make_update(optimizer, step.weights)});
  }
}

void WeightUpdate::update(std::size_t step) {
  const Part& part = parts_[step];
  if (!part.update) return;
  part.update();
  for (const at::Tensor& weight : part.weights) weight.mutable_grad().reset();
}

void WeightUpdate::update_all() {
  for (std::size_t step = 0; step < parts_.size(); ++step) update(step);
}

}  // namespace layersim
