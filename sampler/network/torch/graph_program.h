#pragma once
// The graph as a list of calls in the order in which they run, with the tensors that stay between batches.

#include <ATen/core/Tensor.h>

#include <functional>
#include <string>
#include <vector>

#include "sampler/network/torch/node_operator.h"
#include "sampler/network/torch/stored_tensors.h"
#include "sim/graph/graph.h"

namespace layersim {

// One node.
struct ProgramStep {
  const Node* node = nullptr;
  NodeCall call;
  std::vector<ValueId> last_read;   // values that no later step reads: their tensors are let go
  std::vector<at::Tensor> weights;  // learned, of which this node is the first reader
};

class GraphProgram {
 public:
  // `graph` must stay. Throws nothing_predicted naming the node and operator that cannot be run, bad_use for
  // a device that libtorch does not have.
  GraphProgram(const Graph& graph, const std::string& device, bool training, std::uint64_t seed);

  [[nodiscard]] const std::vector<ProgramStep>& steps() const { return steps_; }
  [[nodiscard]] const Graph& graph() const { return graph_; }
  [[nodiscard]] at::Device device() const { return stored_.device(); }

  // Values of a batch in flight by id; those that are stored stand in it from the start.
  [[nodiscard]] std::vector<at::Tensor> start() const { return initial_; }
  // Undefined where absent.
  [[nodiscard]] static Tensors inputs_of(const ProgramStep& step, const std::vector<at::Tensor>& values);
  // Runs one step on these inputs, parallel to those of its node. Throws nothing_predicted naming the node
  // with libtorch's own words.
  [[nodiscard]] Tensors call(const ProgramStep& step, const Tensors& inputs) const;
  // Puts a step's results into the values and lets go what no later step reads.
  static void finish(const ProgramStep& step, Tensors results, std::vector<at::Tensor>& values);
  // A whole forward pass: the graph's outputs.
  [[nodiscard]] Tensors forward() const;

 private:
  void add_step(const Node& node, bool training);
  void find_last_reads();

  const Graph& graph_;
  StoredTensors stored_;
  std::vector<ProgramStep> steps_;
  std::vector<at::Tensor> initial_;  // inputs and stored tensors, by ValueId
};

// A sum of the means of all outputs that depend on weights: what the backward pass starts from. Undefined
// where none does.
[[nodiscard]] at::Tensor mean_loss(const Tensors& outputs);

}  // namespace layersim
