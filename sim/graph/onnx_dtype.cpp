#include "sim/graph/onnx_dtype.h"

#include <array>
#include <string>

#include "sim/core/error.h"

namespace layersim {
namespace {

// In the order of TensorProto.DataType. Variants of an 8-bit float are one type here, and e8m0, the last one,
// which is a scale of block formats, goes with them for its size.
constexpr std::array kTypes{DType::unknown, DType::f32,  DType::u8,     DType::i8,     DType::u16,
                            DType::i16,     DType::i32,  DType::i64,    DType::string, DType::boolean,
                            DType::f16,     DType::f64,  DType::u32,    DType::u64,    DType::c64,
                            DType::c128,    DType::bf16, DType::f8e4m3, DType::f8e4m3, DType::f8e5m2,
                            DType::f8e5m2,  DType::u4,   DType::i4,     DType::f4,     DType::f8e5m2};

bool is_defined(std::int64_t number) {
  return number >= 0 && number < static_cast<std::int64_t>(kTypes.size());
}

}  // namespace

DType find_onnx_dtype(std::int64_t number) {
  return is_defined(number) ? kTypes.at(static_cast<std::size_t>(number)) : DType::unknown;
}

DType dtype_from_onnx(std::int64_t number) {
  if (!is_defined(number)) throw bad_input("data type number " + std::to_string(number) + " is not known");
  return find_onnx_dtype(number);
}

std::int32_t onnx_number(DType dtype) {
  for (std::size_t number = 0; number < kTypes.size(); ++number) {
    if (kTypes.at(number) == dtype) return static_cast<std::int32_t>(number);
  }
  return 0;
}

}  // namespace layersim
