#pragma once
// The numbers by which ONNX names data types (TensorProto.DataType), in attributes (Cast's `to`, `dtype`) and
// in the file itself.

#include <cstdint>

#include "sim/core/dtype.h"

namespace layersim {

// DType::unknown for 0 (undefined) and for a number that the standard does not define.
[[nodiscard]] DType find_onnx_dtype(std::int64_t number);
// Throws bad_input for a number that the standard does not define.
[[nodiscard]] DType dtype_from_onnx(std::int64_t number);
// 0 for DType::unknown.
[[nodiscard]] std::int32_t onnx_number(DType dtype);

}  // namespace layersim
