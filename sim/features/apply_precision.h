#pragma once
// A network file says in which type its tensors are stored; the user may run it in another.

#include "sim/decompose/decompose.h"
#include "sim/features/conditions.h"

namespace layersim {

// What the file's own types amount to: that of most of the layers' memory traffic; fp32 for all that is not
// named in Precision.
[[nodiscard]] Precision precision_of(const Network& network);

// Gives all floating-point tensors and layers the types of `precision`, and works FLOP and bytes out anew.
// Integer (quantized) layers run as integers under any precision.
void apply_precision(Network& network, Precision precision);

// Layers with products of integers, which have no gradients.
[[nodiscard]] std::size_t count_quantized_layers(const Network& network);

}  // namespace layersim
