#pragma once
// What a kind's lowering rule sees of a node, and the layers that it leaves behind.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "layers/layer_kind.h"

namespace layersim {

// A node of its own in the file whose work is within another one's layer.
struct FusedNode {
  std::string name;  // made unique, as those of layers
  std::string op;
};

// One row of the decomposition.
struct Layer {
  std::string name;                // of the node, made unique; "conv1"
  std::string op;                  // operator as in the file
  Problem problem;                 // problem.kind is nullptr for an operator without a model
  std::optional<FusedNode> fused;  // the activation behind it
  std::string unmodelled_reason;   // empty when modelled
  LayerWork work;      // for one execution; for unmodelled rows only the bytes, where shapes are known
  Shape output_shape;  // empty also when unknown, see output_shape_known
  bool output_shape_known = false;
  double params = 0;         // learned numbers that this layer is the first to use
  double frozen_params = 0;  // of these: kept from training by the user
  double weight_bytes = 0;   // bytes of all stored weights (statistics included) that it is the first to use
  bool needs_input_gradient = true;   // false where nothing that is trained comes before
  bool needs_weight_gradient = true;  // it has weights that are trained, shared ones included
  int scope = 0;                      // Graph::scopes: how often and in which branch it runs
  std::vector<ValueId> inputs;        // activations read
  std::vector<ValueId> weights;       // stored tensors read
  std::vector<ValueId> outputs;
};

// Attribute of a node into which a pass has fused an activation: the function, then name and operator of its
// node. Any kind with `fuses_activation` may have it.
inline constexpr std::string_view kFusedActivation = "fused_activation";
// Domain of the operators that passes put in place of patterns.
inline constexpr std::string_view kFusedDomain = "layersim.fused";

class LoweringContext : public ShapeContext {
 public:
  LoweringContext(Graph& graph, const Node& node, Warnings& warnings, std::vector<Layer>& layers)
      : ShapeContext(graph, node, warnings), layers_(layers) {}

  // Input `index` is stored in the file (or computed from stored tensors only).
  [[nodiscard]] bool is_weight(std::size_t index) const;
  // Throws ShapeUnknown where a size is not known.
  [[nodiscard]] const Shape& output_shape(std::size_t index) const;
  [[nodiscard]] DType output_dtype(std::size_t index) const;

  // Type in which the weight is stored; that of input `fallback` when the node has no such weight.
  [[nodiscard]] DType weight_dtype(std::size_t index, std::size_t fallback = 0) const;

  // Adds a layer for this node. `suffix` tells several layers of one node apart ("attention.qkv");
  // `output_shape` is that of an intermediate layer. Inputs and weights of the node belong to its first
  // layer, the outputs to its last.
  void add(Problem problem, const std::string& suffix = "", std::optional<Shape> output_shape = std::nullopt);
  void unmodelled(const std::string& reason);

 private:
  std::vector<Layer>& layers_;
  std::size_t first_layer_ = layers_.size();  // of this node
};

}  // namespace layersim
