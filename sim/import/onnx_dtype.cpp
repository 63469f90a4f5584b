#include "sim/import/onnx_dtype.h"

#include <array>

namespace layersim {
namespace {

// By number. Variants of an 8-bit float differ in their special values alone; e8m0 is a scale of block
// formats.
constexpr std::array kByNumber{
    DType::unknown,  // 0 undefined
    DType::f32,     DType::u8,  DType::i8,  DType::u16, DType::i16, DType::i32, DType::i64,  DType::string,
    DType::boolean, DType::f16, DType::f64, DType::u32, DType::u64, DType::c64, DType::c128, DType::bf16,
    DType::f8e4m3,                          // 17 float8e4m3fn
    DType::f8e4m3,                          // 18 float8e4m3fnuz
    DType::f8e5m2,                          // 19
    DType::f8e5m2,                          // 20 float8e5m2fnuz
    DType::u4,      DType::i4,  DType::f4,  // 21, 22, 23
    DType::f8e5m2,                          // 24 float8e8m0
};

}  // namespace

DType dtype_of_onnx(std::int32_t number) {
  const auto index = static_cast<std::size_t>(number);
  return number >= 0 && index < kByNumber.size() ? kByNumber[index] : DType::unknown;
}

std::int32_t onnx_of_dtype(DType dtype) {
  for (std::size_t number = 0; number < kByNumber.size(); ++number) {
    if (kByNumber[number] == dtype) return static_cast<std::int32_t>(number);
  }
  return 0;
}

}  // namespace layersim
