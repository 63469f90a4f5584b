#pragma once
// Short ways to write ONNX models in tests.

#include <onnx/onnx_pb.h>

#include <string>
#include <vector>

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

}  // namespace layersim::tests
