#pragma once
// What a stored tensor of an ONNX file is for: the reader guesses by it, and the writer makes sure that the
// guess is right.

#include <string_view>

#include "sim/graph/graph.h"

namespace layersim {

// Origin::weight or Origin::constant for an initializer, as far as the file alone tells.
[[nodiscard]] Origin stored_origin(std::string_view name, const Tensor& tensor);

}  // namespace layersim
