#pragma once
// What is fed to a network that is timed: normal numbers, and integers that are valid wherever they serve as
// indices.

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <vector>

#include "sim/graph/graph.h"

namespace layersim {

// Parallel to graph.inputs. Throws nothing_predicted naming an input whose shape is not known.
[[nodiscard]] std::vector<at::Tensor> random_inputs(const Graph& graph, at::Generator& generator);

}  // namespace layersim
