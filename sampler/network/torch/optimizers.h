#pragma once
// The optimizers of libtorch by the names of the command line, with the settings of the examples in its
// documentation: they do not change the time.

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

#include "sim/features/conditions.h"

namespace torch::optim {
class Optimizer;
}

namespace layersim {

// Of `weights`, which may not be empty. nullptr for Optimizer::none. Throws bad_use for adadelta, which libtorch has not.
[[nodiscard]] std::unique_ptr<torch::optim::Optimizer> make_optimizer(Optimizer optimizer,
                                                                      std::vector<at::Tensor> weights);

}  // namespace layersim
