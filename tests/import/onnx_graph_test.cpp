#include "tests/import/imported.h"

using namespace layersim;
using namespace layersim::tests;
using Catch::Contains;

TEST_CASE("a network is read node by node") {
  onnx::ModelProto model = new_model(13);
  onnx::GraphProto& graph = *model.mutable_graph();
  add_input(graph, "x", {0, 3, 8, 8});
  graph.mutable_input(0)
      ->mutable_type()
      ->mutable_tensor_type()
      ->mutable_shape()
      ->mutable_dim(0)
      ->set_dim_param("N");
  add_weight(graph, "w", {4, 3, 3, 3});
  auto& conv = add_node(graph, "Conv", {"x", "w", ""}, {"y"}, "ai.onnx");
  auto& kernel = add_attribute(conv, "kernel_shape", onnx::AttributeProto::INTS);
  kernel.add_ints(3);
  kernel.add_ints(3);
  add_attribute(conv, "auto_pad", onnx::AttributeProto::STRING).set_s("SAME_UPPER");
  add_attribute(conv, "epsilon", onnx::AttributeProto::FLOAT).set_f(0.5F);
  add_node(graph, "MaxPool", {"y"}, {"p", ""});
  add_output(graph, "p");
  const Graph imported = import_model(model);

  CHECK(imported.name == "test");
  CHECK(names_of(imported, imported.inputs) == Names{"x"});
  CHECK(names_of(imported, imported.outputs) == Names{"p"});
  const Value& x = value_of(imported, "x");
  CHECK(x.origin == Origin::input);
  REQUIRE(x.declared);
  CHECK(x.declared->at(0).symbol == "N");
  CHECK(x.declared->at(0).size == kUnknownDim);
  CHECK(x.declared->at(1).size == 3);
  CHECK(value_of(imported, "w").origin == Origin::weight);
  REQUIRE(imported.nodes.size() == 2);
  const Node& node = imported.nodes[0];
  CHECK(node.name == "n_y");
  CHECK(node.domain.empty());
  CHECK(node.opset == 13);
  CHECK(names_of(imported, node.inputs) == Names{"x", "w", ""});
  CHECK(node.ints_attribute("kernel_shape") == std::vector<std::int64_t>{3, 3});
  CHECK(node.text_attribute("auto_pad") == "SAME_UPPER");
  CHECK(node.real_attribute("epsilon") == 0.5);
  CHECK(names_of(imported, imported.nodes[1].outputs) == Names{"p", ""});
}

TEST_CASE("what is learned is told from what is not") {
  onnx::ModelProto model = new_model();
  onnx::GraphProto& graph = *model.mutable_graph();
  add_weight(graph, "matrix", {4, 4});
  add_weight(graph, "bias", {4});
  add_weight(graph, "quantized", {4, 4}, onnx::TensorProto::INT8);
  add_weight(graph, "shape", {4}, onnx::TensorProto::INT64);
  add_weight(graph, "mask", {4, 4}, onnx::TensorProto::BOOL);
  add_weight(graph, "zero_point", {4}, onnx::TensorProto::INT8);
  add_weight(graph, "epsilon", {});
  add_weight(graph, "/layer/Constant_output_0", {4});
  const Graph imported = import_model(model);
  for (const char* name : {"matrix", "bias", "quantized"})
    CHECK(value_of(imported, name).origin == Origin::weight);
  for (const char* name : {"shape", "mask", "zero_point", "epsilon", "/layer/Constant_output_0"}) {
    CHECK(value_of(imported, name).origin == Origin::constant);
  }
}

TEST_CASE("a weight that is also listed as input is no input") {
  onnx::ModelProto model = new_model(8);
  onnx::GraphProto& graph = *model.mutable_graph();
  add_input(graph, "x", {1, 4});
  add_input(graph, "w", {4, 4});
  add_weight(graph, "w", {4, 4});
  add_node(graph, "MatMul", {"x", "w"}, {"y"});
  add_output(graph, "y");
  const Graph imported = import_model(model);
  CHECK(names_of(imported, imported.inputs) == Names{"x"});
  CHECK(value_of(imported, "w").origin == Origin::weight);
}

TEST_CASE("Constant nodes become constants in every form") {
  onnx::ModelProto model = new_model();
  onnx::GraphProto& graph = *model.mutable_graph();
  const auto constant = [&](const char* output, const char* attribute,
                            onnx::AttributeProto::AttributeType type) -> auto& {
    return add_attribute(add_node(graph, "Constant", {}, {output}), attribute, type);
  };
  constant("i", "value_int", onnx::AttributeProto::INT).set_i(7);
  constant("is", "value_ints", onnx::AttributeProto::INTS).add_ints(8);
  constant("f", "value_float", onnx::AttributeProto::FLOAT).set_f(0.5F);
  constant("fs", "value_floats", onnx::AttributeProto::FLOATS).add_floats(0.25F);
  constant("s", "value_string", onnx::AttributeProto::STRING).set_s("text");
  constant("ss", "value_strings", onnx::AttributeProto::STRINGS).add_strings("text");
  auto& tensor = *constant("t", "value", onnx::AttributeProto::TENSOR).mutable_t();
  tensor.set_data_type(onnx::TensorProto::INT64);
  tensor.add_dims(1);
  tensor.add_int64_data(9);
  auto& sparse = *constant("sp", "sparse_value", onnx::AttributeProto::SPARSE_TENSOR).mutable_sparse_tensor();
  sparse.mutable_values()->set_data_type(onnx::TensorProto::FLOAT);
  sparse.add_dims(5);
  const Graph imported = import_model(model);
  CHECK(imported.nodes.empty());
  CHECK(value_of(imported, "i").tensor.shape == Shape{});
  CHECK(value_of(imported, "i").tensor.constant->ints == std::vector<std::int64_t>{7});
  CHECK(value_of(imported, "is").tensor.constant->ints == std::vector<std::int64_t>{8});
  CHECK(value_of(imported, "is").tensor.shape == Shape{1});
  CHECK(value_of(imported, "f").tensor.constant->reals == std::vector<double>{0.5});
  CHECK(value_of(imported, "fs").tensor.constant->reals == std::vector<double>{0.25});
  CHECK(value_of(imported, "s").tensor.dtype == DType::string);
  CHECK(value_of(imported, "ss").tensor.shape == Shape{1});
  CHECK(value_of(imported, "t").tensor.constant->ints == std::vector<std::int64_t>{9});
  CHECK(value_of(imported, "sp").tensor.shape == Shape{5});
  for (const Value& value : imported.values) CHECK(value.origin == Origin::constant);

  add_node(graph, "Constant", {}, {"nothing"});
  CHECK_THAT(import_error(model), Contains("n_nothing") && Contains("holds no value"));
}

TEST_CASE("value_info and the types of outputs are kept") {
  onnx::ModelProto model = new_model();
  onnx::GraphProto& graph = *model.mutable_graph();
  add_input(graph, "x", {1, 4});
  add_node(graph, "A", {"x"}, {"a"}, "custom");
  add_node(graph, "B", {"a"}, {"b"}, "custom");
  set_type(*graph.add_value_info(), "a", {1, 5}, onnx::TensorProto::FLOAT16);
  set_type(*graph.add_value_info(), "nobody", {1});
  set_type(*graph.add_output(), "b", {1, 6});
  const Graph imported = import_model(model);
  CHECK(value_of(imported, "a").tensor.dtype == DType::f16);
  CHECK(value_of(imported, "a").declared->at(1).size == 5);
  CHECK(value_of(imported, "b").declared->at(1).size == 6);
  CHECK(imported.nodes[0].domain == "custom");
  CHECK(imported.nodes[0].opset == 1);
}

TEST_CASE("versions newer than known are read with a warning") {
  onnx::ModelProto model = new_model(99);
  model.set_ir_version(42);
  add_input(*model.mutable_graph(), "x", {1});
  add_node(*model.mutable_graph(), "Relu", {"x"}, {"y"});
  Warnings warnings;
  CHECK(import_model(model, warnings).nodes[0].opset == 99);
  REQUIRE(warnings.all().size() == 2);
  CHECK_THAT(warnings.all()[1], Contains("opset 99"));
}

TEST_CASE("each domain has its version") {
  onnx::ModelProto model = new_model(15);
  auto& ml = *model.add_opset_import();
  ml.set_domain("ai.onnx.ml");
  ml.set_version(3);
  add_input(*model.mutable_graph(), "x", {1, 4});
  add_node(*model.mutable_graph(), "Scaler", {"x"}, {"y"}, "ai.onnx.ml");
  add_node(*model.mutable_graph(), "Relu", {"y"}, {"z"});
  const Graph imported = import_model(model);
  CHECK(imported.nodes[0].opset == 3);
  CHECK(imported.nodes[0].domain == "ai.onnx.ml");
  CHECK(imported.nodes[1].opset == 15);
}

TEST_CASE("nodes in a wrong order are sorted, those in a right one stay") {
  onnx::ModelProto model = new_model();
  onnx::GraphProto& graph = *model.mutable_graph();
  add_input(graph, "x", {1});
  add_node(graph, "C", {"b"}, {"c"}, "t");
  add_node(graph, "A", {"x"}, {"a"}, "t");
  add_node(graph, "B", {"a"}, {"b"}, "t");
  add_node(graph, "D", {"x"}, {"d"}, "t");
  add_output(graph, "c");
  CHECK(ops_of(import_model(model)) == Names{"A", "B", "C", "D"});
}

TEST_CASE("a sub-graph needs what it captures") {
  onnx::ModelProto model = new_model();
  onnx::GraphProto& graph = *model.mutable_graph();
  add_input(graph, "condition", {}, onnx::TensorProto::BOOL);
  auto& branch = add_node(graph, "If", {"condition"}, {"y"});
  for (const char* name : {"then_branch", "else_branch"}) {
    onnx::GraphProto& inside = add_graph(branch, name);
    add_node(inside, "Relu", {"late"}, {"o"});
    add_output(inside, "o");
  }
  add_node(graph, "Not", {"condition"}, {"late"});
  add_output(graph, "y");
  CHECK(ops_of(import_model(model)) == Names{"Not", "Relu", "Relu", "IfJoin"});
}

TEST_CASE("contradictions between names are errors that name them") {
  onnx::ModelProto model = new_model();
  onnx::GraphProto& graph = *model.mutable_graph();
  add_input(graph, "x", {1});
  SECTION("unknown input") {
    add_node(graph, "Relu", {"nowhere"}, {"y"});
    CHECK_THAT(import_error(model), Contains("node 'n_y' (Relu)") && Contains("'nowhere'"));
  }
  SECTION("value computed twice") {
    add_node(graph, "Relu", {"x"}, {"y"});
    add_node(graph, "Relu", {"x"}, {"y"});
    CHECK_THAT(import_error(model), Contains("'y' is defined twice"));
  }
  SECTION("input computed") {
    add_node(graph, "Relu", {"x"}, {"x"});
    CHECK_THAT(import_error(model), Contains("'x' is defined twice"));
  }
  SECTION("cycle") {
    add_node(graph, "Relu", {"c"}, {"a"});
    add_node(graph, "Add", {"a", "x"}, {"b"});
    add_node(graph, "Relu", {"b"}, {"c"});
    add_node(graph, "Relu", {"c"}, {"behind"});
    CHECK_THAT(import_error(model), Contains("cycle") && !Contains("behind"));
  }
  SECTION("output that nothing computes") {
    add_output(graph, "nowhere");
    CHECK_THAT(import_error(model), Contains("'nowhere'"));
  }
}

TEST_CASE("graphs without nodes, and models without a graph") {
  onnx::ModelProto model = new_model();
  add_input(*model.mutable_graph(), "x", {1, 4});
  add_output(*model.mutable_graph(), "x");
  CHECK(import_model(model).nodes.empty());
  model.clear_graph();
  CHECK_THAT(import_error(model), Contains("no graph"));
}

TEST_CASE("inputs that are no plain tensors") {
  onnx::ModelProto model = new_model();
  onnx::GraphProto& graph = *model.mutable_graph();
  auto& sequence = *graph.add_input();
  sequence.set_name("sequence");
  sequence.mutable_type()->mutable_sequence_type()->mutable_elem_type()->mutable_tensor_type()->set_elem_type(
      1);
  auto& optional = *graph.add_input();
  optional.set_name("optional");
  optional.mutable_type()->mutable_optional_type()->mutable_elem_type()->mutable_tensor_type()->set_elem_type(
      10);
  auto& map = *graph.add_input();
  map.set_name("map");
  map.mutable_type()->mutable_map_type()->set_key_type(8);
  Warnings warnings;
  const Graph imported = import_model(model, warnings);
  CHECK(names_of(imported, imported.inputs) == Names{"sequence", "optional", "map"});
  CHECK(value_of(imported, "optional").tensor.dtype == DType::f16);
  REQUIRE(warnings.all().size() == 1);
  CHECK_THAT(warnings.all()[0], Contains("'map'"));
}

TEST_CASE("old files that do not tell the types of attributes") {
  onnx::ModelProto model = new_model(7);
  add_input(*model.mutable_graph(), "x", {1});
  auto& node = add_node(*model.mutable_graph(), "Op", {"x"}, {"y"});
  node.add_attribute()->set_name("i");
  node.mutable_attribute(0)->set_i(3);
  node.add_attribute()->set_name("fs");
  node.mutable_attribute(1)->add_floats(0.5F);
  const Graph imported = import_model(model);
  CHECK(imported.nodes[0].int_attribute("i") == 3);
  CHECK(std::get<std::vector<double>>(*imported.nodes[0].attribute("fs")) == std::vector<double>{0.5});
}
