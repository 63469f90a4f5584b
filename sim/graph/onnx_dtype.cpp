#include "sim/graph/onnx_dtype.h"

#include <array>
#include <string>

#include "sim/core/error.h"

namespace layersim {

DType dtype_from_onnx(std::int64_t number) {
  // In the order of TensorProto.DataType; both variants of the 8-bit floats are one type here.
  constexpr std::array kTypes{DType::unknown, DType::f32,  DType::u8,     DType::i8,     DType::u16,
                              DType::i16,     DType::i32,  DType::i64,    DType::string, DType::boolean,
                              DType::f16,     DType::f64,  DType::u32,    DType::u64,    DType::c64,
                              DType::c128,    DType::bf16, DType::f8e4m3, DType::f8e4m3, DType::f8e5m2,
                              DType::f8e5m2,  DType::u4,   DType::i4,     DType::f4};
  if (number < 0 || number >= static_cast<std::int64_t>(kTypes.size())) {
    throw bad_input("data type number " + std::to_string(number) + " is not known");
  }
  return kTypes.at(static_cast<std::size_t>(number));
}

}  // namespace layersim
