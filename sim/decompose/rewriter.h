#pragma once
// The graph while passes change it: who makes and who reads each value, which nodes are gone. Nodes keep
// their places, so that a node that replaces a pattern takes the place of the pattern's last node and the
// order stays valid.

#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/graph/graph.h"

namespace layersim {

using NodeIndex = std::int32_t;
inline constexpr NodeIndex kNoNode = -1;
inline constexpr std::size_t kManyConsumers = 64;

class Rewriter {
 public:
  Rewriter(Graph& graph, Warnings& warnings);

  [[nodiscard]] Graph& graph() { return graph_; }
  [[nodiscard]] const Graph& graph() const { return graph_; }
  [[nodiscard]] Warnings& warnings() { return warnings_; }

  [[nodiscard]] NodeIndex node_count() const { return static_cast<NodeIndex>(removed_.size()); }
  [[nodiscard]] const Node& node(NodeIndex index) const {
    return graph_.nodes[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] bool removed(NodeIndex index) const { return removed_[static_cast<std::size_t>(index)]; }
  // A node of the ONNX standard with that operator, not removed.
  [[nodiscard]] bool is_op(NodeIndex index, std::string_view op) const;

  // kNoNode for inputs and stored tensors.
  [[nodiscard]] NodeIndex producer(ValueId value) const;
  // Nodes that read the value, each once; no more than kManyConsumers of them, which is more than any pattern
  // has nodes.
  [[nodiscard]] std::vector<NodeIndex> consumers(ValueId value) const;
  // The node that alone reads the value; kNoNode when there are none or several or when it is an output of
  // the graph.
  [[nodiscard]] NodeIndex only_consumer(ValueId value) const;
  [[nodiscard]] bool is_graph_output(ValueId value) const;

  [[nodiscard]] bool is_stored(ValueId value) const;
  // The only number of a stored tensor, where its contents are known.
  [[nodiscard]] std::optional<double> stored_number(ValueId value) const;
  // Elements of the value; nothing where its shape is not known.
  [[nodiscard]] std::optional<std::int64_t> elements(ValueId value) const;

  ValueId add_value(Value value);
  void remove(NodeIndex index);
  void set_input(NodeIndex index, std::size_t position,
                 ValueId value);  // appends absent inputs before `position`
  // The node makes `value` from now on; what it made before stays without producer.
  void set_output(NodeIndex index, std::size_t position, ValueId value);
  // All readers of `from` read `to` from now on.
  void redirect(ValueId from, ValueId to);
  // Other node in the same place.
  void replace(NodeIndex index, Node node);
  void set_attribute(NodeIndex index, Attribute attribute);
  void insert_after(NodeIndex index, Node node);  // appears with compact()
  // The value is computed once from stored tensors: `sources` are the stored inputs of the node that made it.
  void mark_stored(ValueId value, Origin origin, std::vector<ValueId> sources);

  // Removes nodes for good and puts the inserted ones in their places. Node indices change.
  void compact();
  // The same at the end of all passes: nothing but sources() may be asked afterwards.
  void finish();

  // Stored tensors that a folded value was made of, see mark_stored.
  [[nodiscard]] const std::unordered_map<ValueId, std::vector<ValueId>>& sources() const { return sources_; }

 private:
  void link(NodeIndex index);
  void unlink_outputs(NodeIndex index);
  [[nodiscard]] bool reads(NodeIndex index, ValueId value) const;

  Graph& graph_;
  Warnings& warnings_;
  std::vector<bool> removed_;
  std::vector<NodeIndex> producers_;  // by value
  // By value. Entries of nodes that are gone or read something else now are passed over, and taken out when
  // there are many: taking each out at once would be quadratic for a value that many nodes read.
  mutable std::vector<std::vector<NodeIndex>> consumers_;
  std::vector<bool> graph_output_;  // by value
  std::vector<std::pair<NodeIndex, Node>> inserted_;
  std::unordered_map<ValueId, std::vector<ValueId>> sources_;
};

}  // namespace layersim
