#pragma once
// The numbers by which ONNX names data types, in attributes (Cast's `to`, `dtype`) and in the file itself.

#include <cstdint>

#include "sim/core/dtype.h"

namespace layersim {

// Throws bad_input for a number that the standard does not define.
[[nodiscard]] DType dtype_from_onnx(std::int64_t number);

}  // namespace layersim
