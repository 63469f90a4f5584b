#pragma once
// Element types by their number in onnx.proto (TensorProto.DataType), newer ones than libonnx knows included.

#include <cstdint>

#include "sim/core/dtype.h"

namespace layersim {

// DType::unknown for a number that is not known.
[[nodiscard]] DType dtype_of_onnx(std::int32_t number);
// 0 (undefined) for DType::unknown.
[[nodiscard]] std::int32_t onnx_of_dtype(DType dtype);

}  // namespace layersim
