#pragma once
// Stored tensors of an ONNX file: data type, shape and, for small ones, contents.

#include <onnx/onnx_pb.h>

#include "sim/graph/graph.h"
#include "sim/import/external_data.h"

namespace layersim {

// Throws bad_input for sizes that cannot be, and for contents that do not fit them.
[[nodiscard]] Tensor read_tensor(const onnx::TensorProto& proto, ExternalData& external);
[[nodiscard]] Tensor read_tensor(const onnx::SparseTensorProto& proto);

}  // namespace layersim
