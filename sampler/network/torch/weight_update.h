#pragma once
// The optimizer's update of all weights at the end of a training step.

#include <memory>
#include <vector>

#include "sampler/network/torch/graph_program.h"
#include "sim/features/conditions.h"

namespace torch::optim {
class Optimizer;
}

namespace layersim {

class WeightUpdate {
 public:
  WeightUpdate(const GraphProgram& program, Optimizer optimizer);
  ~WeightUpdate();
  WeightUpdate(const WeightUpdate&) = delete;
  WeightUpdate& operator=(const WeightUpdate&) = delete;

  // Updates the weights of which this step of the program is the first reader, then clears their gradients
  // as the library does by default.
  void update(std::size_t step);
  void update_all();

 private:
  std::vector<std::unique_ptr<torch::optim::Optimizer>> optimizers_;  // parallel to the steps; nullptr: none
};

}  // namespace layersim
