#pragma once
// Element types of libtorch.

#include <c10/core/ScalarType.h>

#include "sim/core/dtype.h"

namespace layersim {

// Throws nothing_predicted for a type that libtorch has not.
[[nodiscard]] at::ScalarType torch_dtype(DType dtype);

}  // namespace layersim
