#pragma once
// Mean and standard deviation of each column.

#include "sim/methods/common/dense_network.h"
#include "sim/methods/common/matrix.h"

namespace layersim {

// The scale of a column that does not vary is 1.
[[nodiscard]] Normalisation normalisation_of(const Matrix& features);

}  // namespace layersim
