#pragma once
// A network file says in which type its tensors are stored; the user may run it in another.

#include "sim/decompose/decompose.h"
#include "sim/features/conditions.h"

namespace layersim {

// What the file's own types amount to: fp16, bf16 or fp64 where most of the layers' memory traffic has that
// type, else fp32. Integer (quantized) layers run as integers under any precision.
[[nodiscard]] Precision precision_of(const Network& network);

// Gives all floating-point layers the types of `precision`, and works FLOP and bytes out anew.
void apply_precision(Network& network, Precision precision);

}  // namespace layersim
