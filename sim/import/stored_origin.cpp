#include "sim/import/stored_origin.h"

namespace layersim {

// Integers are indices, masks and shapes unless they are matrices of 4 or 8 bits (quantized weights); a
// scalar is an epsilon or a factor; PyTorch's exporter gives what it has folded a name that begins with a
// slash.
Origin stored_origin(std::string_view name, const Tensor& tensor) {
  const std::size_t rank = tensor.shape ? tensor.shape->size() : 0;
  if (rank == 0 || name.starts_with('/') || tensor.dtype == DType::boolean || tensor.dtype == DType::string) {
    return Origin::constant;
  }
  if (is_integer(tensor.dtype))
    return bits(tensor.dtype) <= 8 && rank >= 2 ? Origin::weight : Origin::constant;
  return Origin::weight;
}

}  // namespace layersim
