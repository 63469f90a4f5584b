#include "tests/import/imported.h"

using namespace layersim;
using namespace layersim::tests;
using Catch::Contains;

namespace {

onnx::FunctionProto& add_function(onnx::ModelProto& model, const std::string& name, const Names& inputs,
                                  const Names& outputs) {
  onnx::FunctionProto& function = *model.add_functions();
  function.set_domain("local");
  function.set_name(name);
  for (const auto& input : inputs) function.add_input(input);
  for (const auto& output : outputs) function.add_output(output);
  return function;
}

// A field that the installed protobuf classes do not have yet.
template <typename Message>
void add_newer(Message& message, int number, const std::string& bytes) {
  message.GetReflection()->MutableUnknownFields(&message)->AddLengthDelimited(number, bytes);
}

}  // namespace

TEST_CASE("functions of the model are inlined") {
  onnx::ModelProto model = new_model();
  onnx::GraphProto& graph = *model.mutable_graph();
  add_input(graph, "x", {1, 4});
  add_node(graph, "Twice", {"x"}, {"y"}, "local").set_name("first");
  add_node(graph, "Twice", {"y"}, {"z"}, "local").set_name("second");
  add_output(graph, "z");
  auto& function = add_function(model, "Twice", {"a"}, {"b"});
  auto& import = *function.add_opset_import();
  import.set_version(14);
  add_node(function, "Relu", {"a"}, {"inner"}).set_name("r");
  add_node(function, "Add", {"inner", "inner"}, {"b"}).set_name("s");
  const Graph imported = import_model(model);
  CHECK(ops_of(imported) == Names{"Relu", "Add", "Relu", "Add"});
  CHECK(imported.nodes[0].name == "first/r");
  CHECK(imported.nodes[0].opset == 14);
  CHECK(names_of(imported, imported.nodes[0].outputs) == Names{"first/inner"});
  CHECK(names_of(imported, imported.nodes[1].outputs) == Names{"y"});
  CHECK(names_of(imported, imported.nodes[2].inputs) == Names{"y"});
  CHECK(names_of(imported, imported.nodes[3].outputs) == Names{"z"});
}

TEST_CASE("attributes of the call reach the body through every level") {
  onnx::ModelProto model = new_model();
  onnx::GraphProto& graph = *model.mutable_graph();
  add_input(graph, "x", {1, 4});
  add_attribute(add_node(graph, "Outer", {"x"}, {"y"}, "local"), "slope", onnx::AttributeProto::FLOAT)
      .set_f(0.5F);
  auto& outer = add_function(model, "Outer", {"a"}, {"b"});
  outer.add_attribute("slope");
  auto& call = add_node(outer, "Inner", {"a"}, {"b"}, "local");
  add_attribute(call, "alpha", onnx::AttributeProto::FLOAT).set_ref_attr_name("slope");
  auto& inner = add_function(model, "Inner", {"a"}, {"b"});
  auto& leaky = add_node(inner, "LeakyRelu", {"a"}, {"b"});
  add_attribute(leaky, "alpha", onnx::AttributeProto::FLOAT).set_ref_attr_name("alpha");
  add_attribute(leaky, "absent", onnx::AttributeProto::FLOAT).set_ref_attr_name("nobody_sets_it");
  const Graph imported = import_model(model);
  CHECK(ops_of(imported) == Names{"LeakyRelu"});
  CHECK(imported.nodes[0].real_attribute("alpha") == 0.5);
  CHECK(imported.nodes[0].attribute("absent") == nullptr);
}

TEST_CASE("defaults of attributes, overloads and Constant by reference") {
  onnx::ModelProto model = new_model();
  onnx::GraphProto& graph = *model.mutable_graph();
  add_input(graph, "x", {1, 4});
  add_newer(add_node(graph, "F", {"x"}, {"y"}, "local"), 8, "wide");
  add_output(graph, "y");
  add_node(add_function(model, "F", {"a"}, {"b"}), "Relu", {"a"}, {"b"});
  auto& wide = add_function(model, "F", {"a"}, {"b"});
  add_newer(wide, 13, "wide");
  onnx::AttributeProto axis;
  axis.set_name("axis");
  axis.set_type(onnx::AttributeProto::INT);
  axis.set_i(3);
  add_newer(wide, 11, axis.SerializeAsString());
  add_attribute(add_node(wide, "Constant", {}, {"c"}), "value_int", onnx::AttributeProto::INT)
      .set_ref_attr_name("axis");
  add_node(wide, "Gather", {"a", "c"}, {"b"});
  const Graph imported = import_model(model);
  CHECK(ops_of(imported) == Names{"Gather"});
  CHECK(imported.value(imported.nodes[0].inputs[1]).tensor.constant->ints == std::vector<std::int64_t>{3});
}

TEST_CASE("outputs of a function that are inputs, or stand twice, or are constants") {
  onnx::ModelProto model = new_model();
  onnx::GraphProto& graph = *model.mutable_graph();
  add_input(graph, "x", {1, 4});
  add_node(graph, "F", {"x"}, {"same", "r1", "r2", "c"}, "local");
  for (const char* name : {"same", "r1", "r2", "c"}) add_output(graph, name);
  auto& function = add_function(model, "F", {"a", "not_given"}, {"a", "r", "r", "k"});
  add_node(function, "Clip", {"a", "not_given"}, {"r"});
  add_attribute(add_node(function, "Constant", {}, {"k"}), "value_int", onnx::AttributeProto::INT).set_i(1);
  const Graph imported = import_model(model);
  CHECK(ops_of(imported) == Names{"Clip", "Identity", "Identity"});
  CHECK(names_of(imported, imported.nodes[0].inputs) == Names{"x", ""});
  CHECK(names_of(imported, imported.nodes[0].outputs) == Names{"r1"});
  CHECK(names_of(imported, imported.nodes[1].inputs) == Names{"x"});
  CHECK(names_of(imported, imported.nodes[2].inputs) == Names{"r1"});
  CHECK(names_of(imported, imported.nodes[2].outputs) == Names{"r2"});
  CHECK(value_of(imported, "c").origin == Origin::constant);
}

TEST_CASE("control flow inside functions") {
  onnx::ModelProto model = new_model();
  onnx::GraphProto& graph = *model.mutable_graph();
  add_input(graph, "x", {1, 4});
  add_input(graph, "condition", {}, onnx::TensorProto::BOOL);
  add_node(graph, "F", {"x", "condition"}, {"y"}, "local");
  auto& function = add_function(model, "F", {"a", "c"}, {"b"});
  auto& branch = add_node(function, "If", {"c"}, {"b"});
  for (const char* name : {"then_branch", "else_branch"}) {
    onnx::GraphProto& inside = add_graph(branch, name);
    add_node(inside, "Relu", {"a"}, {"o"});
    add_output(inside, "o");
  }
  const Graph imported = import_model(model);
  CHECK(ops_of(imported) == Names{"Relu", "Relu", "IfJoin"});
  CHECK(names_of(imported, imported.nodes[0].inputs) == Names{"x"});
  CHECK(names_of(imported, imported.nodes[2].outputs) == Names{"y"});
}

TEST_CASE("functions that cannot be inlined") {
  onnx::ModelProto model = new_model();
  onnx::GraphProto& graph = *model.mutable_graph();
  add_input(graph, "x", {1, 4});
  auto& call = add_node(graph, "F", {"x"}, {"y"}, "local");
  auto& function = add_function(model, "F", {"a"}, {"b"});
  SECTION("a body sees nothing from around it") {
    add_node(function, "Relu", {"x"}, {"b"});
    CHECK_THAT(import_error(model), Contains("'x' is not defined"));
  }
  SECTION("it calls itself") {
    add_node(function, "F", {"a"}, {"b"}, "local");
    CHECK_THAT(import_error(model), Contains("nested more than"));
  }
  SECTION("its output is never computed") { CHECK_THAT(import_error(model), Contains("'b'")); }
  SECTION("too many inputs") {
    add_node(function, "Relu", {"a"}, {"b"});
    call.add_input("x");
    CHECK_THAT(import_error(model), Contains("more inputs"));
  }
  SECTION("defined twice") {
    *model.add_functions() = function;
    CHECK_THAT(import_error(model), Contains("defined twice"));
  }
}

TEST_CASE("functions that multiply without end are stopped") {
  onnx::ModelProto model = new_model();
  add_input(*model.mutable_graph(), "x", {1});
  add_node(*model.mutable_graph(), "F0", {"x"}, {"y"}, "local");
  constexpr int kLevels = 20;
  constexpr int kCalls = 10;
  for (int level = 0; level < kLevels; ++level) {
    auto& function = add_function(model, "F" + std::to_string(level), {"v0"}, {"v" + std::to_string(kCalls)});
    const std::string callee = level + 1 < kLevels ? "F" + std::to_string(level + 1) : "Relu";
    for (int call = 0; call < kCalls; ++call) {
      add_node(function, callee, {"v" + std::to_string(call)}, {"v" + std::to_string(call + 1)},
               callee == "Relu" ? "" : "local");
    }
  }
  CHECK_THAT(import_error(model), Contains("more than 500,000 nodes"));
}
