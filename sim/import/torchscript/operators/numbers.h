#pragma once
// Arithmetic on numbers: calculated where they are known, a node of the graph where they come from shapes.

#include "sim/import/torchscript/operator.h"

namespace layersim {

// A call whose one or two operands are all numbers. Throws ShapeUnknown for operators that it does not know.
[[nodiscard]] TorchValue arithmetic(const TorchCall& call);
// Sums and comparisons of lists, texts, nones and what is not known.
[[nodiscard]] TorchValue combine(const TorchCall& call);

}  // namespace layersim
