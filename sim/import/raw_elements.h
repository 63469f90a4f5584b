#pragma once
// Elements of tensors as ONNX stores them raw: little-endian, 4-bit ones two in a byte with the first one
// low.

#include <string>
#include <string_view>

#include "sim/core/dtype.h"
#include "sim/graph/graph.h"

namespace layersim {

// Whether elements of the type can be read and written; not strings, complex numbers and floats below 16
// bits.
[[nodiscard]] bool has_raw_form(DType dtype);

// The first `count` elements; `raw` must be long enough.
[[nodiscard]] Constant from_raw(std::string_view raw, DType dtype, std::size_t count);
[[nodiscard]] std::string to_raw(const Constant& constant, DType dtype);

[[nodiscard]] double decode_f16(std::uint16_t bits);
[[nodiscard]] double decode_bf16(std::uint16_t bits);

// As an element of Constant::ints: what does not fit stands at the end of the range, and the number that
// means "not known" gives way to its neighbour.
[[nodiscard]] std::int64_t to_element(std::uint64_t value);
[[nodiscard]] std::int64_t to_element(std::int64_t value);

}  // namespace layersim
