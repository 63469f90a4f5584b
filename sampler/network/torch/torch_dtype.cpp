#include "sampler/network/torch/torch_dtype.h"

#include <string>

#include "sim/core/error.h"

namespace layersim {

at::ScalarType torch_dtype(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return at::kDouble;
    case DType::f32:
      return at::kFloat;
    case DType::f16:
      return at::kHalf;
    case DType::bf16:
      return at::kBFloat16;
    case DType::i64:
      return at::kLong;
    case DType::i32:
      return at::kInt;
    case DType::i16:
      return at::kShort;
    case DType::i8:
      return at::kChar;
    case DType::u8:
      return at::kByte;
    case DType::boolean:
      return at::kBool;
    default:
      throw Error(ErrorKind::nothing_predicted,
                  "libtorch has no tensors of type '" + std::string(name(dtype)) + "'");
  }
}

}  // namespace layersim
