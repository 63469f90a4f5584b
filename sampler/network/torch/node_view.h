#pragma once
// One node of the graph as an operator's implementation sees it while the network is made ready: shapes,
// attributes and the contents of small tensors, all known before anything runs.

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sampler/network/torch/stored_tensors.h"
#include "sim/graph/graph.h"

namespace layersim {

class NodeView {
 public:
  NodeView(const Graph& graph, const Node& node, StoredTensors& stored, bool training)
      : graph_(graph), node_(node), stored_(stored), training_(training) {}

  [[nodiscard]] const Node& node() const { return node_; }
  [[nodiscard]] StoredTensors& stored() const { return stored_; }
  [[nodiscard]] bool training() const { return training_; }
  [[nodiscard]] bool has_input(std::size_t index) const { return node_.input(index) != kNoValue; }
  [[nodiscard]] bool is_stored(std::size_t index) const;  // a weight or a constant
  [[nodiscard]] bool is_float(std::size_t index) const;
  // Throws nothing_predicted where the shape is known only when the network runs.
  [[nodiscard]] const Shape& shape(std::size_t index) const;
  [[nodiscard]] const Shape& output_shape(std::size_t index = 0) const;
  [[nodiscard]] at::ScalarType output_dtype(std::size_t index = 0) const;

  // Contents of an input; nothing where it is absent, throws nothing_predicted where they are not known.
  [[nodiscard]] std::optional<std::vector<std::int64_t>> ints(std::size_t index) const;
  // The only number of a stored input; nothing where it is absent, has more elements or is not known.
  [[nodiscard]] std::optional<double> number(std::size_t index) const;

  [[nodiscard]] std::int64_t int_or(std::string_view attribute, std::int64_t fallback) const;
  [[nodiscard]] double real_or(std::string_view attribute, double fallback) const;
  [[nodiscard]] std::string text_or(std::string_view attribute, std::string_view fallback) const;
  [[nodiscard]] std::vector<std::int64_t> ints_or(std::string_view attribute,
                                                  std::vector<std::int64_t> fallback) const;
  // What older opsets have as attribute and newer ones as input.
  [[nodiscard]] std::optional<std::vector<std::int64_t>> attribute_or_input(std::string_view attribute,
                                                                            std::size_t index) const;
  // The attribute "axis", counted from the front.
  [[nodiscard]] std::int64_t axis(std::int64_t fallback) const;

  // Throws nothing_predicted unless `holds`: "does not run here: <what>".
  void require(bool holds, const std::string& what) const;

 private:
  [[nodiscard]] const Tensor& tensor(ValueId id) const;
  [[nodiscard]] const Shape& known_shape(ValueId id, const char* what, std::size_t index) const;

  const Graph& graph_;
  const Node& node_;
  StoredTensors& stored_;
  bool training_;
};

}  // namespace layersim
