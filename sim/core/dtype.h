#pragma once
// Element types of tensors and their sizes. The short names (f32, i64 ...) are those of the graph's text
// form.

#include <optional>
#include <string_view>

namespace layersim {

enum class DType : unsigned char {
  unknown,
  f64,
  f32,
  f16,
  bf16,
  f8e4m3,
  f8e5m2,
  f4,
  i64,
  i32,
  i16,
  i8,
  i4,
  u64,
  u32,
  u16,
  u8,
  u4,
  boolean,
  c64,
  c128,
  string,
};

// Size of one element in bits; 0 for unknown and string.
[[nodiscard]] int bits(DType dtype);
// Size of one element in bytes; a fraction for 4-bit types.
[[nodiscard]] inline double bytes(DType dtype) { return bits(dtype) / 8.0; }
[[nodiscard]] bool is_float(DType dtype);
[[nodiscard]] bool is_integer(DType dtype);
[[nodiscard]] std::string_view name(DType dtype);
[[nodiscard]] std::optional<DType> parse_dtype(std::string_view name);

}  // namespace layersim
