#pragma once
// ONNX model -> neutral graph.
//
// A model is a tree: graphs hold nodes, nodes hold graphs (If, Loop, Scan), and a node may be a call of a
// function of the model. The converter walks the tree once and appends to a flat graph. Each graph or
// function body that it enters is a NameScope: names of values are looked up in it and then, for sub-graphs,
// in the scopes around it; a function body sees nothing but its inputs. Nodes are converted one by one as
// long as they stand in an order in which they can run; the rest of a body that does not is sorted first.

#include <onnx/onnx_pb.h>

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "sim/graph/graph.h"
#include "sim/import/external_data.h"
#include "sim/import/message_list.h"
#include "sim/import/name_table.h"
#include "sim/import/onnx_attributes.h"
#include "sim/import/onnx_wire.h"

namespace layersim {

// Newest versions whose operators the shape rules know; anything newer is read by the newest rule, with a
// warning.
inline constexpr int kNewestOpset = 23;
inline constexpr int kNewestIrVersion = 13;

// Which version of each operator domain a body was written for.
struct Opsets {
  int standard = 0;  // 0: not declared
  std::vector<std::pair<std::string_view, int>> others;

  [[nodiscard]] int of(std::string_view domain) const;
};

using NodeList = MessageList<onnx::NodeProto>;
using TensorList = MessageList<onnx::TensorProto>;
using ValueInfoList = MessageList<onnx::ValueInfoProto>;

// A function of the model.
struct OnnxFunction {
  const onnx::FunctionProto* proto = nullptr;
  Opsets opsets;
  google::protobuf::RepeatedPtrField<onnx::AttributeProto> defaults;
  google::protobuf::RepeatedPtrField<onnx::ValueInfoProto> value_info;
};

class OnnxConverter {
 public:
  // `model` is decoded from skeleton.model. All must outlive the converter.
  OnnxConverter(const OnnxSkeleton& skeleton, const onnx::ModelProto& model, ExternalData& external,
                Warnings& warnings)
      : skeleton_(skeleton), model_(model), external_(external), warnings_(warnings) {}

  [[nodiscard]] Graph convert();

 private:
  struct NameScope {
    const NameScope* outer = nullptr;
    int scope = 0;  // index into Graph::scopes
    const Opsets* opsets = nullptr;
    const CallAttributes* call = nullptr;
    std::string prefix;  // of names inside functions
    int depth = 0;
    NameTable names;
    // Outputs of a function, which are values of the caller.
    std::unordered_map<std::string_view, ValueId> wanted;
  };
  // A node about to be appended, with its values.
  struct Call {
    const onnx::NodeProto& proto;
    std::string_view domain;
    std::vector<ValueId> inputs;
    std::vector<ValueId> outputs;

    [[nodiscard]] ValueId input(std::size_t index) const {
      return index < inputs.size() ? inputs[index] : kNoValue;
    }
    [[nodiscard]] ValueId output(std::size_t index) const {
      return index < outputs.size() ? outputs[index] : kNoValue;
    }
  };

  // onnx_converter.cpp: the model and its declarations
  void read_opsets();
  void read_inputs(NameScope& names);
  void read_stored_tensors(const TensorList& dense, const onnx::GraphProto& graph, NameScope& names);
  void read_type(const onnx::TypeProto& type, Value& value);
  void read_value_info(const onnx::ValueInfoProto& info, const NameScope& names);
  // Throws bad_input when the name is taken.
  Value& declare(NameScope& names, const std::string& name);
  ValueId add_value(const NameScope& names, const std::string& name);
  [[nodiscard]] ValueId last_value() const { return static_cast<ValueId>(graph_.values.size()) - 1; }

  // onnx_bodies.cpp: lists of nodes
  [[nodiscard]] static const ValueId* find(const NameScope& names, std::string_view name);
  void convert_body(const NodeList& nodes, const ValueInfoList& value_info, NameScope& names);
  // The nodes from `first` on, which are not in an order in which they can run.
  void convert_sorted(const NodeList& nodes, int first, NameScope& names);
  // The first name that a node or its sub-graphs need and that is not defined (yet); else nullopt, and all
  // their values.
  [[nodiscard]] static std::optional<std::string> resolve_inputs(const onnx::NodeProto& proto,
                                                                 const NameScope& names,
                                                                 std::vector<ValueId>& values);
  [[nodiscard]] std::vector<ValueId> declare_outputs(const onnx::NodeProto& proto, NameScope& names);
  // `values`: those of the inputs, and any number behind them.
  void convert_node(const onnx::NodeProto& proto, std::vector<ValueId> values, std::vector<ValueId> outputs,
                    const NameScope& names);
  Node& append(const Call& call, std::string_view op, std::string_view domain, const NameScope& names);
  void append_plain(Call&& call, const NameScope& names);
  // Bounds what functions that call each other can expand to.
  void charge(std::size_t nodes);

  // onnx_control_flow.cpp
  // False when the node is none, or one that cannot be flattened.
  bool convert_control_flow(const Call& call, const NameScope& names);
  void convert_if(const Call& call, const NameScope& names);
  void convert_loop(const Call& call, const NameScope& names);
  void convert_scan(const Call& call, const NameScope& names);
  void convert_sequence_map(const Call& call, const NameScope& names);
  // Converts the inside of a sub-graph whose inputs are bound, and returns its outputs.
  std::vector<ValueId> convert_subgraph(const onnx::GraphProto& graph, NameScope& names);
  [[nodiscard]] static NameScope inside(const NameScope& outer, int scope);
  [[nodiscard]] int add_scope(Scope::Kind kind, const Call& call, const NameScope& names);
  std::vector<ValueId> declare_body_inputs(const onnx::GraphProto& body, NameScope& names);

  // onnx_functions.cpp
  void read_functions();
  [[nodiscard]] const OnnxFunction* find_function(const Call& call) const;
  void inline_function(const Call& call, const OnnxFunction& function, const NameScope& names);

  void warn(std::string text);

  const OnnxSkeleton& skeleton_;
  const onnx::ModelProto& model_;
  ExternalData& external_;
  Warnings& warnings_;
  Graph graph_;
  Opsets opsets_;
  std::unordered_map<std::string, OnnxFunction> functions_;  // by domain, name and overload
  std::unordered_set<ValueId> sequences_;                    // values known to be sequences of tensors
  std::unordered_set<std::string> said_;                     // warnings
  std::size_t charged_ = 0;
};

// "node 'conv1' (Conv)", as Graph::describe says it.
[[nodiscard]] std::string describe(const onnx::NodeProto& proto);
// The standard domain has two names.
[[nodiscard]] inline std::string_view standard_name(std::string_view domain) {
  return domain == "ai.onnx" ? std::string_view() : domain;
}
[[nodiscard]] Opsets read_opset_imports(
    const google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto>& imports);

}  // namespace layersim
