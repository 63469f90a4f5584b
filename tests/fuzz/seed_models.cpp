#include "tests/fuzz/seed_models.h"

#include "tests/import/model_builder.h"

namespace layersim::tests {
namespace {

void add_ints(onnx::NodeProto& node, const std::string& name, const Dims& values) {
  auto& attribute = add_attribute(node, name, onnx::AttributeProto::INTS);
  for (const auto value : values) attribute.add_ints(value);
}

void add_int(onnx::NodeProto& node, const std::string& name, std::int64_t value) {
  add_attribute(node, name, onnx::AttributeProto::INT).set_i(value);
}

void add_int64s(onnx::GraphProto& graph, const std::string& name, const Dims& values) {
  auto& tensor =
      add_weight(graph, name, {static_cast<std::int64_t>(values.size())}, onnx::TensorProto::INT64);
  for (const auto value : values) tensor.add_int64_data(value);
}

onnx::ModelProto convolution() {
  onnx::ModelProto model = new_model();
  auto& graph = *model.mutable_graph();
  add_input(graph, "x", {2, 3, 8, 8});
  add_weight(graph, "w", {4, 3, 3, 3}).set_raw_data(std::string(432, '\0'));
  add_weight(graph, "b", {4}).set_data_location(onnx::TensorProto::EXTERNAL);
  auto& conv = add_node(graph, "Conv", {"x", "w", "b"}, {"y"});
  add_ints(conv, "kernel_shape", {3, 3});
  add_ints(conv, "pads", {1, 1, 1, 1});
  add_node(graph, "Relu", {"y"}, {"r"});
  auto& pool = add_node(graph, "MaxPool", {"r"}, {"p"});
  add_ints(pool, "kernel_shape", {2, 2});
  add_ints(pool, "strides", {2, 2});
  add_output(graph, "p");
  return model;
}

onnx::ModelProto shape_chain() {
  onnx::ModelProto model = new_model();
  auto& graph = *model.mutable_graph();
  add_input(graph, "x", {2, 4, 4});
  graph.mutable_input(0)
      ->mutable_type()
      ->mutable_tensor_type()
      ->mutable_shape()
      ->mutable_dim(0)
      ->set_dim_param("N");
  add_int64s(graph, "zero", {0});
  add_int64s(graph, "rest", {-1});
  add_node(graph, "Shape", {"x"}, {"s"});
  add_int(add_node(graph, "Gather", {"s", "zero"}, {"n"}), "axis", 0);
  add_int(add_node(graph, "Concat", {"n", "rest"}, {"target"}), "axis", 0);
  add_node(graph, "Reshape", {"x", "target"}, {"flat"});
  add_weight(graph, "w", {16, 10});
  add_node(graph, "Gemm", {"flat", "w"}, {"y"});
  add_output(graph, "y");
  return model;
}

onnx::ModelProto loop_with_if() {
  onnx::ModelProto model = new_model();
  auto& graph = *model.mutable_graph();
  add_input(graph, "x", {1, 8});
  add_int64s(graph, "trips", {5});
  auto& body = add_graph(add_node(graph, "Loop", {"trips", "", "x"}, {"last", "all"}), "body");
  add_input(body, "i", {}, onnx::TensorProto::INT64);
  add_input(body, "go", {}, onnx::TensorProto::BOOL);
  add_input(body, "h", {1, 8});
  auto& branch = add_node(body, "If", {"go"}, {"chosen"});
  for (const char* name : {"then_branch", "else_branch"}) {
    auto& inside = add_graph(branch, name);
    add_node(inside, name[0] == 't' ? "Relu" : "Sigmoid", {"h"}, {"o"});
    add_output(inside, "o");
  }
  for (const char* name : {"go", "chosen", "h"}) add_output(body, name);
  add_output(graph, "all");
  return model;
}

onnx::ModelProto scan_and_sequence() {
  onnx::ModelProto model = new_model();
  auto& graph = *model.mutable_graph();
  add_input(graph, "x", {7, 4});
  auto& scan = add_node(graph, "Scan", {"x"}, {"scanned"});
  add_int(scan, "num_scan_inputs", 1);
  auto& body = add_graph(scan, "body");
  add_input(body, "e", {4});
  add_node(body, "Tanh", {"e"}, {"t"});
  add_output(body, "t");
  add_node(graph, "SplitToSequence", {"scanned"}, {"parts"});
  auto& mapped = add_graph(add_node(graph, "SequenceMap", {"parts", "x"}, {"m"}), "body");
  add_input(mapped, "part", {1, 4});
  add_input(mapped, "whole", {7, 4});
  add_node(mapped, "Add", {"part", "whole"}, {"sum"});
  add_output(mapped, "sum");
  add_int(add_node(graph, "ConcatFromSequence", {"m"}, {"y"}), "axis", 0);
  add_output(graph, "y");
  return model;
}

onnx::ModelProto functions() {
  onnx::ModelProto model = new_model();
  auto& graph = *model.mutable_graph();
  add_input(graph, "x", {1, 8});
  add_attribute(add_node(graph, "F", {"x"}, {"y", "z"}, "local"), "slope", onnx::AttributeProto::FLOAT)
      .set_f(0.5F);
  add_output(graph, "y");
  auto& outer = *model.add_functions();
  outer.set_domain("local");
  outer.set_name("F");
  outer.add_input("a");
  outer.add_input("optional");
  outer.add_output("b");
  outer.add_output("a");
  outer.add_opset_import()->set_version(15);
  add_attribute(add_node(outer, "LeakyRelu", {"a"}, {"c"}), "alpha", onnx::AttributeProto::FLOAT)
      .set_ref_attr_name("slope");
  add_node(outer, "G", {"c"}, {"b"}, "local");
  auto& inner = *model.add_functions();
  inner.set_domain("local");
  inner.set_name("G");
  inner.add_input("a");
  inner.add_output("b");
  add_node(inner, "Identity", {"a"}, {"b"});
  return model;
}

onnx::ModelProto recurrent_and_attention() {
  onnx::ModelProto model = new_model();
  auto& graph = *model.mutable_graph();
  add_input(graph, "x", {5, 1, 8});
  add_weight(graph, "W", {1, 16, 8});
  add_weight(graph, "R", {1, 16, 4});
  add_int(add_node(graph, "LSTM", {"x", "W", "R"}, {"h", "", "c"}), "hidden_size", 4);
  add_int64s(graph, "axes", {1});
  add_node(graph, "Squeeze", {"h", "axes"}, {"s"});
  add_weight(graph, "qkv", {4, 12});
  add_weight(graph, "qkv_bias", {12});
  add_int(add_node(graph, "Attention", {"s", "qkv", "qkv_bias"}, {"y"}, "com.microsoft"), "num_heads", 2);
  add_output(graph, "y");
  return model;
}

onnx::ModelProto quantized() {
  onnx::ModelProto model = new_model();
  auto& graph = *model.mutable_graph();
  add_input(graph, "x", {1, 3, 8, 8});
  add_weight(graph, "scale", {}).add_float_data(0.1F);
  add_weight(graph, "zero", {}, onnx::TensorProto::UINT8).add_int32_data(0);
  add_weight(graph, "weight", {4, 3, 3, 3}, onnx::TensorProto::UINT8);
  add_node(graph, "QuantizeLinear", {"x", "scale", "zero"}, {"q"});
  add_node(graph, "QLinearConv", {"q", "scale", "zero", "weight", "scale", "zero", "scale", "zero"}, {"c"});
  add_node(graph, "DequantizeLinear", {"c", "scale", "zero"}, {"y"});
  add_output(graph, "y");
  return model;
}

onnx::ModelProto stored_tensors() {
  onnx::ModelProto model = new_model();
  auto& graph = *model.mutable_graph();
  auto& sparse = *graph.add_sparse_initializer();
  sparse.mutable_values()->set_name("sparse");
  sparse.mutable_values()->set_data_type(onnx::TensorProto::FLOAT);
  sparse.add_dims(3);
  add_weight(graph, "half", {2}, onnx::TensorProto::FLOAT16).add_int32_data(0x3c00);
  graph.mutable_initializer(0)->add_int32_data(1);
  add_attribute(add_node(graph, "Constant", {}, {"list"}), "value_floats", onnx::AttributeProto::FLOATS)
      .add_floats(2);
  add_node(graph, "ConstantOfShape", {"list"}, {"filled"});
  set_type(*graph.add_value_info(), "filled", {2, 2});
  auto& type = *graph.add_input();
  type.set_name("sequence");
  type.mutable_type()->mutable_sequence_type()->mutable_elem_type()->mutable_tensor_type()->set_elem_type(1);
  add_output(graph, "filled");
  return model;
}

}  // namespace

std::vector<SeedModel> seed_models() {
  return {{"convolution", convolution().SerializeAsString()},
          {"shape_chain", shape_chain().SerializeAsString()},
          {"loop_with_if", loop_with_if().SerializeAsString()},
          {"scan_and_sequence", scan_and_sequence().SerializeAsString()},
          {"functions", functions().SerializeAsString()},
          {"recurrent_and_attention", recurrent_and_attention().SerializeAsString()},
          {"quantized", quantized().SerializeAsString()},
          {"stored_tensors", stored_tensors().SerializeAsString()}};
}

}  // namespace layersim::tests
