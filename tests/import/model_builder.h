#pragma once
// Short ways to write ONNX models in tests.

#include <onnx/onnx_pb.h>

#include <catch2/catch.hpp>
#include <initializer_list>
#include <string>
#include <vector>

#include "sim/core/error.h"
#include "sim/import/importer.h"

namespace layersim::tests {

using Names = std::vector<std::string>;
using Dims = std::vector<std::int64_t>;

inline onnx::ModelProto new_model(std::int64_t opset = 17) {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(opset);
  model.mutable_graph()->set_name("test");
  return model;
}

inline void set_type(onnx::ValueInfoProto& info, const std::string& name, const Dims& dims,
                     int type = onnx::TensorProto::FLOAT) {
  info.set_name(name);
  auto& tensor = *info.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(type);
  tensor.mutable_shape();
  for (const auto size : dims) tensor.mutable_shape()->add_dim()->set_dim_value(size);
}

inline void add_input(onnx::GraphProto& graph, const std::string& name, const Dims& dims,
                      int type = onnx::TensorProto::FLOAT) {
  set_type(*graph.add_input(), name, dims, type);
}

inline void add_output(onnx::GraphProto& graph, const std::string& name) {
  graph.add_output()->set_name(name);
}

template <typename Owner>
onnx::NodeProto& add_node(Owner& owner, const std::string& op, const Names& inputs, const Names& outputs,
                          const std::string& domain = "") {
  onnx::NodeProto& node = *owner.add_node();
  node.set_op_type(op);
  node.set_domain(domain);
  node.set_name("n_" + (outputs.empty() ? op : outputs.front()));
  for (const auto& name : inputs) node.add_input(name);
  for (const auto& name : outputs) node.add_output(name);
  return node;
}

inline onnx::AttributeProto& add_attribute(onnx::NodeProto& node, const std::string& name,
                                           onnx::AttributeProto::AttributeType type) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(type);
  return attribute;
}

inline onnx::GraphProto& add_graph(onnx::NodeProto& node, const std::string& name) {
  return *add_attribute(node, name, onnx::AttributeProto::GRAPH).mutable_g();
}

inline onnx::TensorProto& add_weight(onnx::GraphProto& graph, const std::string& name, const Dims& dims,
                                     int type = onnx::TensorProto::FLOAT) {
  onnx::TensorProto& tensor = *graph.add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(type);
  for (const auto size : dims) tensor.add_dims(size);
  return tensor;
}

inline Graph import_model(const onnx::ModelProto& model, Warnings& warnings) {
  return import_onnx_bytes(model.SerializeAsString(), "test.onnx", warnings);
}

inline Graph import_model(const onnx::ModelProto& model) {
  Warnings warnings;
  Graph graph = import_model(model, warnings);
  CHECK(warnings.all().empty());
  return graph;
}

// The line that the user sees.
inline std::string import_error(const std::string& bytes) {
  Warnings warnings;
  try {
    static_cast<void>(import_onnx_bytes(bytes, "test.onnx", warnings));
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::bad_input);
    const std::string line = error.what();
    CHECK(line.find('\n') == std::string::npos);
    CHECK(line.starts_with("test.onnx: "));
    return line;
  }
  return "no error";
}
inline std::string import_error(const onnx::ModelProto& model) {
  return import_error(model.SerializeAsString());
}

inline const Value* find_value(const Graph& graph, const std::string& name) {
  for (const auto& value : graph.values) {
    if (value.name == name) return &value;
  }
  return nullptr;
}

inline const Value& value_of(const Graph& graph, const std::string& name) {
  const Value* value = find_value(graph, name);
  INFO(name);
  REQUIRE(value != nullptr);
  return *value;
}

inline Names names_of(const Graph& graph, const std::vector<ValueId>& ids) {
  Names names;
  for (const ValueId id : ids) names.push_back(id == kNoValue ? "" : graph.value(id).name);
  return names;
}

inline Names ops_of(const Graph& graph) {
  Names ops;
  for (const auto& node : graph.nodes) ops.push_back(node.op);
  return ops;
}

}  // namespace layersim::tests
