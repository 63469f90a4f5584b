#pragma once
// Layers of measured kinds that together do the work of a layer whose kind has no measured rows: the best
// physical estimate for it.

#include <vector>

#include "layers/layer_kind.h"

namespace layersim {

// A transposed convolution is the data gradient of the convolution that leads back; attention is two products
// with a softmax between; all other kinds are memory traffic, as much as an addition of two tensors of that
// size.
[[nodiscard]] std::vector<Problem> stand_ins(const Problem& problem, const LayerWork& work);

}  // namespace layersim
