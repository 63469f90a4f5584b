#pragma once
// A shape rule says, for one operator, what the outputs of a node are from its inputs: data type, shape and,
// where shapes are computed from them, the contents of small tensors. Rules for operators that move data or
// compute shapes stand in sim/graph/shape_rules/, those of a layer kind in the kind's own file.

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/graph/graph.h"

namespace layersim {

// A node as a rule sees it. Input accessors throw ShapeUnknown where the graph does not know what the rule
// needs; the driver (infer_shapes) then falls back on the file's value_info.
class ShapeContext {
 public:
  ShapeContext(Graph& graph, const Node& node, Warnings& warnings)
      : graph_(graph), node_(node), warnings_(warnings) {}

  [[nodiscard]] const Node& node() const { return node_; }
  [[nodiscard]] Graph& graph() const { return graph_; }
  [[nodiscard]] Warnings& warnings() const { return warnings_; }

  [[nodiscard]] std::size_t input_count() const { return node_.inputs.size(); }
  [[nodiscard]] std::size_t output_count() const { return node_.outputs.size(); }
  [[nodiscard]] bool has_input(std::size_t index) const { return node_.input(index) != kNoValue; }
  // Throws bad_input when the input is absent.
  [[nodiscard]] const Tensor& input(std::size_t index) const;
  [[nodiscard]] DType dtype(std::size_t index) const { return input(index).dtype; }
  // Sizes may be kUnknownDim; throws ShapeUnknown when not even the rank is known.
  [[nodiscard]] const Shape& shape(std::size_t index) const;
  // The same; throws bad_input unless the rank lies in [least_rank, most_rank]. A rule that reads a certain
  // axis asks for the rank in this way.
  [[nodiscard]] const Shape& shape(std::size_t index, std::size_t least_rank,
                                   std::size_t most_rank = kMaxRank) const;
  // The same, with every size known, else ShapeUnknown.
  [[nodiscard]] const Shape& full_shape(std::size_t index, std::size_t least_rank = 0) const;
  // Known integer contents of an input; nothing when absent or not known.
  [[nodiscard]] const std::vector<std::int64_t>* ints(std::size_t index) const;
  [[nodiscard]] const std::vector<double>* reals(std::size_t index) const;

  // Attribute with default.
  [[nodiscard]] std::int64_t int_or(std::string_view attribute, std::int64_t fallback) const;
  [[nodiscard]] double real_or(std::string_view attribute, double fallback) const;
  [[nodiscard]] std::string text_or(std::string_view attribute, std::string_view fallback) const;
  [[nodiscard]] std::vector<std::int64_t> ints_or(std::string_view attribute,
                                                  std::vector<std::int64_t> fallback) const;

  // Does nothing for an output that the node does not have. Throws bad_input as check_limits does.
  void set_output(std::size_t index, DType dtype, Shape shape,
                  std::shared_ptr<const Constant> constant = nullptr);
  void set_output_sequence(std::size_t index, std::vector<Tensor> elements);

 private:
  Graph& graph_;
  const Node& node_;
  Warnings& warnings_;
};

// Thrown by the accessors above; not an Error, since the network may still be fine.
struct ShapeUnknown {};

using ShapeRuleFunction = void (*)(ShapeContext&);

struct ShapeRule {
  std::string_view op;
  ShapeRuleFunction infer;
  std::string_view domain = "";
};

// The axis counted from the front; throws bad_input when it lies outside [-rank, rank).
[[nodiscard]] std::size_t normalize_axis(std::int64_t axis, std::size_t rank);

// A rule of many operators: shape, data type and contents of input 0.
void same_as_first_input(ShapeContext& context);

// The rule for the node's operator, or nullptr.
[[nodiscard]] const ShapeRule* find_shape_rule(std::string_view domain, std::string_view op);

}  // namespace layersim
