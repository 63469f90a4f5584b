#pragma once
// The update of learned numbers in a training step.

#include <ATen/ATen.h>

#include <functional>
#include <vector>

#include "sim/features/conditions.h"

namespace layersim::torch_sampler {

// To be called once the weights have their gradients. Empty for Optimizer::none.
[[nodiscard]] std::function<void()> make_update(Optimizer optimizer, const std::vector<at::Tensor>& weights);

}  // namespace layersim::torch_sampler
