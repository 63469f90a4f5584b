#pragma once
// A network that runs for real, with random weights and inputs, on a device that a library drives: ground
// truth for what `predict` says. It is made of the neutral graph, whatever format the file had, so no code of
// the file is ever executed; each node becomes the call of the library that a user's model makes.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/features/conditions.h"
#include "sim/graph/graph.h"

namespace layersim {

struct NetworkRunSettings {
  Mode mode = Mode::training;
  Optimizer optimizer = Optimizer::sgd;  // none in forward mode
  std::string device = "cpu";            // or "cuda:0"
  int threads = 1;                       // of the library, on the CPU
  std::uint64_t seed = 1;                // of weights and inputs
};

// One node within one batch, milliseconds. The update is that of the weights that it is the first to read.
struct NodeTime {
  double forward_ms = 0;
  double backward_ms = 0;
  double optimizer_ms = 0;
};

// The software that runs the network.
struct RunLibrary {
  std::string stack;     // as rows of measurements name it: "libtorch1.13"
  std::string version;   // "1.13.1"
  std::string products;  // what multiplies matrices and convolves: BLAS and oneDNN, in the library's words
};

class RunnableNetwork {
 public:
  virtual ~RunnableNetwork() = default;
  RunnableNetwork(const RunnableNetwork&) = delete;
  RunnableNetwork& operator=(const RunnableNetwork&) = delete;

  // Milliseconds that so many batches took, one after the other. A batch is a forward pass without gradients,
  // or forward pass, mean of all outputs as the loss, backward pass and update. Throws nothing_predicted
  // naming node and operator where the library refuses, and where the device's memory does not suffice.
  virtual double run(int batches) = 0;

  // One batch with a clock around each node, parallel to Graph::nodes. The clock costs time of its own, so
  // the sum is somewhat more than run(1).
  virtual std::vector<NodeTime> time_nodes() = 0;

  [[nodiscard]] virtual const RunLibrary& library() const = 0;

 protected:
  RunnableNetwork() = default;
};

// With libtorch. `graph` as decompose() leaves it; it must stay. Throws bad_use for a program without
// libtorch and for a device that libtorch does not have, nothing_predicted naming the node and operator that
// cannot be run.
[[nodiscard]] std::unique_ptr<RunnableNetwork> make_torch_network(const Graph& graph,
                                                                  const NetworkRunSettings& settings);

}  // namespace layersim
