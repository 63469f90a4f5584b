#pragma once
// The neutral network graph: what an importer makes and all later stages read.
//
// A graph is flat: one list of values (tensors) and one list of nodes in an order in which they can run.
// Operator names and attributes follow the ONNX standard, whatever the file was; operators that only another
// format has keep their own domain. Sub-graphs do not nest: their nodes stand in the same list and carry a
// scope, and pairs of marker nodes (domain kControlDomain) join the values inside and outside:
//
//   IfJoin     inputs: condition, outputs of the then-branch ..., outputs of the else-branch ...
//              outputs: those of the If. The branches' scopes have kind `branch` and share `branch_group`,
//              which is also the attribute "branch_group".
//   LoopEnter  inputs: trip count, condition, initial carried values ... (absent ones kNoValue)
//              outputs: iteration number, condition, carried values inside. Attribute "scope": the body's
//              scope.
//   LoopExit   inputs: condition inside, carried values inside ..., per-iteration outputs ...
//              outputs: final carried values ..., stacked outputs ... Attributes "scope", "carried" (their
//              number).
//   ScanEnter  inputs: initial states ..., sequences ...; outputs: states inside ..., slices inside ...
//              Attributes "scope", "states", "axes", "directions".
//   ScanExit   inputs: states inside ..., per-iteration outputs ...; outputs: final states ..., stacked
//   outputs ...
//              Attributes "scope", "states", "axes", "directions".

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "sim/core/dtype.h"
#include "sim/core/shape.h"
#include "sim/core/warnings.h"

namespace layersim {

using ValueId = std::int32_t;
inline constexpr ValueId kNoValue = -1;  // an optional input or output that is not there

inline constexpr std::string_view kControlDomain = "layersim.control";

// Known contents of a small tensor, row-major. Integer and bool tensors use `ints`, floating-point ones
// `reals`.
struct Constant {
  std::vector<std::int64_t> ints;
  std::vector<double> reals;
};
// An element of Constant::ints that is not known although its neighbours are.
inline constexpr std::int64_t kUnknownInt = std::numeric_limits<std::int64_t>::min();
// Tensors with more elements than this never carry a Constant.
inline constexpr std::int64_t kMaxConstantElements = 4096;

// What is known of one tensor.
struct Tensor {
  DType dtype = DType::unknown;
  std::optional<Shape> shape;  // nothing: not even the rank is known
  std::shared_ptr<const Constant> constant;
};

// One axis as the file declares it: a number, or a symbol that the user may bind.
struct DeclaredDim {
  std::int64_t size = kUnknownDim;
  std::string symbol;
};
using DeclaredShape = std::vector<DeclaredDim>;

enum class Origin : unsigned char {
  computed,  // output of a node
  input,     // given at run time
  weight,    // stored in the file, and learned unless a pass or a kind says otherwise (batch norm statistics)
  constant,  // stored in the file, never learned (folded constants, shapes, masks)
};

struct Value {
  std::string name;
  Origin origin = Origin::computed;
  Tensor tensor;
  std::optional<DeclaredShape> declared;        // inputs, and value_info of computed values
  std::optional<std::vector<Tensor>> sequence;  // elements, when the value is a sequence of tensors
};

using AttributeValue = std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>,
                                    std::vector<double>, std::vector<std::string>, Tensor>;
struct Attribute {
  std::string name;
  AttributeValue value;
};

struct Node {
  std::string name;    // as in the file: may be empty or used twice
  std::string op;      // ONNX vocabulary
  std::string domain;  // empty: the ONNX standard
  int opset = 0;       // version of the domain that the node was written for
  int scope = 0;       // index into Graph::scopes
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  std::vector<Attribute> attributes;

  [[nodiscard]] const AttributeValue* attribute(std::string_view attribute_name) const;
  // The attribute as the type asked for, or nothing when it is absent. Throws bad_input on another type.
  [[nodiscard]] std::optional<std::int64_t> int_attribute(std::string_view attribute_name) const;
  [[nodiscard]] std::optional<double> real_attribute(std::string_view attribute_name) const;
  [[nodiscard]] std::optional<std::string> text_attribute(std::string_view attribute_name) const;
  [[nodiscard]] std::optional<std::vector<std::int64_t>> ints_attribute(
      std::string_view attribute_name) const;

  [[nodiscard]] ValueId input(std::size_t index) const {
    return index < inputs.size() ? inputs[index] : kNoValue;
  }
  [[nodiscard]] ValueId output(std::size_t index) const {
    return index < outputs.size() ? outputs[index] : kNoValue;
  }
};

struct Scope {
  enum class Kind : unsigned char { root, loop, branch };
  Kind kind = Kind::root;
  int parent = -1;
  std::string name;                        // of the control-flow node
  std::optional<std::int64_t> trip_count;  // loop: set by infer_shapes where it can be known
  int branch_group = -1;                   // branch: the same for both branches of an If
  int branch_index = 0;                    // branch: 0 then, 1 else
  bool dead = false;                       // branch: the condition is known and selects the other one
};

struct Graph {
  std::string name;
  std::vector<Value> values;
  std::vector<Node> nodes;
  std::vector<Scope> scopes{Scope{}};
  std::vector<ValueId> inputs;  // without weights
  std::vector<ValueId> outputs;

  [[nodiscard]] Value& value(ValueId id) { return values.at(static_cast<std::size_t>(id)); }
  [[nodiscard]] const Value& value(ValueId id) const { return values.at(static_cast<std::size_t>(id)); }

  ValueId add_value(Value value);
  Node& add_node(Node node);

  // "node 'conv1' (Conv)"; a node without a name is called by its first named output.
  [[nodiscard]] std::string describe(const Node& node) const;
};

// Builds a graph from code: used by the zoo, the text form and tests.
class GraphBuilder {
 public:
  explicit GraphBuilder(std::string name, int opset = 17);

  ValueId input(std::string name, DType dtype, DeclaredShape shape);
  ValueId weight(std::string name, DType dtype, Shape shape);
  ValueId constant(std::string name, std::vector<std::int64_t> ints,
                   std::optional<Shape> shape = std::nullopt);
  ValueId constant(std::string name, std::vector<double> reals, std::optional<Shape> shape = std::nullopt);
  // Adds a node and returns its first output. Names of outputs that are not given are made from `name`.
  ValueId node(std::string op, std::string name, std::vector<ValueId> inputs,
               std::vector<Attribute> attributes = {}, std::size_t output_count = 1, std::string domain = "");
  [[nodiscard]] ValueId last_output(std::size_t index) const;  // of the node added last
  void output(ValueId value);
  [[nodiscard]] Graph take() { return std::move(graph_); }
  [[nodiscard]] Graph& graph() { return graph_; }

 private:
  Graph graph_;
  int opset_;
};

}  // namespace layersim
