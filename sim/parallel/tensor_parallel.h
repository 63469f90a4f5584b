#pragma once
// Tensor parallelism as Megatron-LM has it (Shoeybi et al. 2019): of two dense layers in a row the first is
// cut by its output features and the second by its input features, what lies between them is cut with them
// (attention by its heads), and one sum over all devices follows the second. All else (norms, residual sums)
// runs whole on every device.

#include <vector>

#include "sim/decompose/decompose.h"

namespace layersim {

struct TensorParallelShare {
  Network network;                     // of one device: layers, tensors and weights cut
  std::vector<double> forward_bytes;   // each summed over all devices, and none hidden
  std::vector<double> backward_bytes;  // the same, of gradients
};

// Throws bad_use where no layer can be cut.
[[nodiscard]] TensorParallelShare share_network(Network network, int devices);

}  // namespace layersim
