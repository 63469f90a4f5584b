#pragma once
// Device memory that a pass needs: what is stored, what the backward pass keeps, and in forward mode the most
// that lies there at any one time.

#include <span>

#include "sim/decompose/decompose.h"
#include "sim/features/conditions.h"

namespace layersim {

struct Memory {
  double weights_bytes = 0;
  double gradients_bytes = 0;
  double optimizer_bytes = 0;
  double activations_bytes = 0;
  double context_bytes = 0;  // driver, libraries and their kernels

  [[nodiscard]] double total_bytes() const {
    return weights_bytes + gradients_bytes + optimizer_bytes + activations_bytes + context_bytes;
  }
};

// `repeats` as layer_repeats gives them: in training, what a loop's body keeps lies there once for each
// iteration.
[[nodiscard]] Memory memory_need(const Network& network, std::span<const double> repeats,
                                 const Conditions& conditions);

}  // namespace layersim
