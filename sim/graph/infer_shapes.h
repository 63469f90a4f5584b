#pragma once
// Gives every value of a graph its data type and shape, and small integer tensors their contents.

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "sim/graph/graph.h"

namespace layersim {

// How the user binds what the file leaves open.
struct ShapeBindings {
  std::optional<std::int64_t> batch;  // the batch axis of every input
  std::map<std::string, std::int64_t>
      dims;  // --dim NAME=VALUE: symbolic axes, and trip counts of loops by node name
  std::map<std::string, Shape> inputs;  // --input NAME=1x3x224x224; the empty name: the only input
};

// Sets the shapes of the graph's inputs. Throws one bad_use error that lists every symbolic axis that stays
// unbound (an unbound batch axis is 1). A batch other than the one that the file fixes is applied with a
// warning.
void bind_inputs(Graph& graph, const ShapeBindings& bindings, Warnings& warnings);

// Runs the shape rules over the nodes in order. Throws bad_input naming the node where shapes contradict each
// other.
void infer_shapes(Graph& graph, const ShapeBindings& bindings, Warnings& warnings);

}  // namespace layersim
