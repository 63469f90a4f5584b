#pragma once
// Exports made at a fixed batch hold that batch as a number in many places: Reshape targets [1, 12, 197, 64]
// or [batch * heads, ...], expanded class tokens, initial states. To run such a file at another batch, the
// rules run once at the batch of the export; then, at the batch that is wanted, each number that did not
// follow the input is compared with the shapes of the first run, and the one axis that carries the batch is
// rescaled.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/graph/graph.h"
#include "sim/graph/shape_rule.h"

namespace layersim {

struct BatchChange {
  std::int64_t in_file = 1;
  std::int64_t wanted = 1;
  // For each of graph.inputs: the axis that changes, or nothing.
  std::vector<std::optional<std::size_t>> axes;
};

// The change when inputs are bound to another batch than the one that the file fixes; nothing otherwise.
[[nodiscard]] std::optional<BatchChange> find_batch_override(const Graph& graph);
// The change that explains why `failed` (may be nullptr) contradicts itself, in a file that leaves the batch
// open.
[[nodiscard]] std::optional<BatchChange> guess_batch_change(const Graph& graph, const Node* failed);
// False when an output that the file declares with the symbol of the batch has another size there.
[[nodiscard]] bool outputs_carry_batch(const Graph& graph);

void set_batch(Graph& graph, const BatchChange& change, std::int64_t batch);

class BatchRescaler {
 public:
  // `exported`: all tensors of the graph at the batch of the file.
  BatchRescaler(const BatchChange& change, std::vector<Tensor> exported);

  // Runs the rule with rescaled numbers where the file's own do not fit.
  void apply(const ShapeRule& rule, ShapeContext& context);
  // A shape that only value_info knows, for a node without a rule.
  void scale_declared(Shape& shape, const Node& node, const Graph& graph, ValueId id) const;
  // One warning for all nodes that were rescaled.
  void report(Warnings& warnings) const;

 private:
  // Where in a tensor the batch is: `inner` elements of the axis belong to one step of the batch.
  struct BatchPosition {
    std::size_t axis = 0;
    std::int64_t inner = 1;
  };

  const Tensor& exported(ValueId id) const { return exported_.at(static_cast<std::size_t>(id)); }
  [[nodiscard]] std::optional<BatchPosition> position(const Graph& graph, ValueId id) const;
  [[nodiscard]] std::optional<Constant> rescaled_target(const ShapeContext& context);
  [[nodiscard]] std::optional<Constant> rescaled_size_list(const ShapeContext& context,
                                                           std::size_t index) const;
  bool apply_with_grown_inputs(const ShapeRule& rule, ShapeContext& context);
  void keep_whole_slice(const ShapeContext& context);
  void track(const ShapeContext& context);
  void note(const ShapeContext& context);

  BatchChange change_;
  std::vector<Tensor> exported_;
  std::vector<std::int64_t>
      inner_;          // of values whose batch axis holds more than the batch; 0: the batch is outermost
  std::string first_;  // of the nodes that were rescaled
  std::size_t count_ = 0;
};

}  // namespace layersim
