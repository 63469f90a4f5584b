#pragma once
// The most memory that activations and their gradients take at any one time of a pass, by following each
// tensor from the layer that makes it to the last one that reads it.
//
// Forward, a tensor is freed behind its last reader, unless a backward pass reads it too: then it stays until
// the first of the layers that keep it has run backward. Backward, the gradient of a tensor is made by the
// last of its readers and freed once the layer that made the tensor has run. A layer that only passes a
// gradient on (a sum) makes none: its inputs share that of its output. Where several readers give a gradient
// to one tensor, the second and all further ones lie beside the sum before they are added to it. The
// network's inputs and outputs stay throughout, and of its outputs the loss keeps a copy (log-probabilities,
// differences).

#include <span>

#include "sim/decompose/decompose.h"

namespace layersim {

// `repeats` as layer_repeats gives them: what the body of a loop keeps lies there once for each iteration.
[[nodiscard]] double peak_forward_bytes(const Network& network, std::span<const double> repeats);
[[nodiscard]] double peak_training_bytes(const Network& network, std::span<const double> repeats);

}  // namespace layersim
