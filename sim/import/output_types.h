#pragma once
// What a file should say of a network's outputs: their data types, and their shapes in the symbols of the
// inputs.

#include <vector>

#include "sim/graph/graph.h"

namespace layersim {

struct OutputType {
  DType dtype = DType::unknown;
  std::optional<DeclaredShape> shape;
};

// One for each of graph.outputs. What the file declares goes before what shape inference finds; an axis that
// is no symbol by itself (twice N, say) is left open.
[[nodiscard]] std::vector<OutputType> find_output_types(const Graph& graph);

}  // namespace layersim
