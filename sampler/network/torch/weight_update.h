#pragma once
// The optimizer's update of all weights at the end of a training step.

#include <functional>
#include <vector>

#include "sampler/network/torch/graph_program.h"
#include "sim/features/conditions.h"

namespace layersim {

class WeightUpdate {
 public:
  WeightUpdate(const GraphProgram& program, Optimizer optimizer);

  // Updates the weights of which this step of the program is the first reader, and lets their gradients go,
  // as zero_grad() of PyTorch does by default: the next backward pass makes new ones.
  void update(std::size_t step);
  void update_all();

 private:
  struct Part {
    std::vector<at::Tensor> weights;
    std::function<void()> update;  // empty: no weights
  };
  std::vector<Part> parts_;  // parallel to the steps
};

}  // namespace layersim
