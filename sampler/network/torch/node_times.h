#pragma once
// One batch with a clock around each node.

#include <vector>

#include "sampler/network/runnable_network.h"
#include "sampler/network/torch/graph_program.h"
#include "sampler/network/torch/weight_update.h"

namespace layersim {

// Backward, each node is a graph of its own: gradients are carried by hand from a node to those whose results
// it read. So the same kernels run in the same order as in a whole backward pass, each with its own start of
// libtorch's engine, some microseconds. Times are parallel to the program's steps.
[[nodiscard]] std::vector<NodeTime> time_forward(const GraphProgram& program);
[[nodiscard]] std::vector<NodeTime> time_training(const GraphProgram& program, WeightUpdate& update);

}  // namespace layersim
