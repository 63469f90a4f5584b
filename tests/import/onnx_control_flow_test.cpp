#include "tests/import/imported.h"

using namespace layersim;
using namespace layersim::tests;
using Catch::Contains;

namespace {

const Node& node_of(const Graph& graph, const std::string& op) {
  for (const Node& node : graph.nodes) {
    if (node.op == op) return node;
  }
  FAIL("no node " << op);
  return graph.nodes.front();
}

}  // namespace

TEST_CASE("both branches of an If stand in scopes of one group") {
  onnx::ModelProto model = new_model();
  onnx::GraphProto& graph = *model.mutable_graph();
  add_input(graph, "x", {1, 8});
  add_input(graph, "condition", {}, onnx::TensorProto::BOOL);
  auto& branch = add_node(graph, "If", {"condition"}, {"y"});
  onnx::GraphProto& then_graph = add_graph(branch, "then_branch");
  add_weight(then_graph, "w", {8, 8});
  add_node(then_graph, "MatMul", {"x", "w"}, {"o"});
  add_output(then_graph, "o");
  onnx::GraphProto& else_graph = add_graph(branch, "else_branch");
  add_output(else_graph, "x");
  add_output(graph, "y");
  const Graph imported = import_model(model);

  CHECK(ops_of(imported) == Names{"MatMul", "IfJoin"});
  REQUIRE(imported.scopes.size() == 3);
  CHECK(imported.nodes[0].scope == 1);
  CHECK(imported.nodes[1].scope == 0);
  CHECK(imported.nodes[1].domain == kControlDomain);
  CHECK(names_of(imported, imported.nodes[1].inputs) == Names{"condition", "o", "x"});
  CHECK(names_of(imported, imported.nodes[1].outputs) == Names{"y"});
  CHECK(imported.nodes[1].int_attribute("branch_group") == imported.scopes[1].branch_group);
  CHECK(imported.scopes[1].kind == Scope::Kind::branch);
  CHECK(imported.scopes[1].branch_group == imported.scopes[2].branch_group);
  CHECK(imported.scopes[1].branch_index == 0);
  CHECK(imported.scopes[2].branch_index == 1);
  CHECK(imported.scopes[2].parent == 0);
}

TEST_CASE("a Loop is entered and left through marker nodes") {
  onnx::ModelProto model = new_model();
  onnx::GraphProto& graph = *model.mutable_graph();
  add_input(graph, "x", {1, 8});
  auto& trips = add_weight(graph, "trips", {}, onnx::TensorProto::INT64);
  trips.add_int64_data(5);
  auto& loop = add_node(graph, "Loop", {"trips", "", "x"}, {"last", "stacked"});
  onnx::GraphProto& body = add_graph(loop, "body");
  add_input(body, "i", {}, onnx::TensorProto::INT64);
  add_input(body, "go", {}, onnx::TensorProto::BOOL);
  add_input(body, "h", {1, 8});
  add_node(body, "Identity", {"go"}, {"go_on"});
  add_node(body, "Add", {"h", "x"}, {"h_next"});
  for (const char* name : {"go_on", "h_next", "h"}) add_output(body, name);
  add_output(graph, "stacked");
  const Graph imported = import_model(model);

  CHECK(ops_of(imported) == Names{"LoopEnter", "Identity", "Add", "LoopExit"});
  const Node& enter = node_of(imported, "LoopEnter");
  CHECK(names_of(imported, enter.inputs) == Names{"trips", "", "x"});
  CHECK(names_of(imported, enter.outputs) == Names{"i", "go", "h"});
  CHECK(enter.int_attribute("scope") == 1);
  CHECK(enter.scope == 0);
  const Node& exit = node_of(imported, "LoopExit");
  CHECK(names_of(imported, exit.inputs) == Names{"go_on", "h_next", "h"});
  CHECK(names_of(imported, exit.outputs) == Names{"last", "stacked"});
  CHECK(exit.int_attribute("carried") == 1);
  CHECK(imported.nodes[1].scope == 1);
  CHECK(imported.scopes[1].kind == Scope::Kind::loop);
  CHECK(imported.scopes[1].name == "n_last");
  CHECK(value_of(imported, "h").declared->at(1).size == 8);

  SECTION("its body must fit") {
    add_input(*model.mutable_graph()->mutable_node(0)->mutable_attribute(0)->mutable_g(), "extra", {});
    CHECK_THAT(import_error(model), Contains("n_last") && Contains("4 inputs, not 3"));
  }
}

TEST_CASE("a Scan keeps its axes") {
  onnx::ModelProto model = new_model();
  onnx::GraphProto& graph = *model.mutable_graph();
  add_input(graph, "state", {4});
  add_input(graph, "sequence", {2, 7, 4});
  auto& scan = add_node(graph, "Scan", {"state", "sequence"}, {"final", "all"});
  onnx::GraphProto& body = add_graph(scan, "body");
  add_attribute(scan, "num_scan_inputs", onnx::AttributeProto::INT).set_i(1);
  add_attribute(scan, "scan_input_axes", onnx::AttributeProto::INTS).add_ints(1);
  add_input(body, "s", {4});
  add_input(body, "e", {2, 4});
  add_node(body, "Add", {"s", "e"}, {"t"});
  add_output(body, "s");
  add_output(body, "t");
  add_output(graph, "all");
  const Graph imported = import_model(model);
  CHECK(ops_of(imported) == Names{"ScanEnter", "Add", "ScanExit"});
  const Node& enter = node_of(imported, "ScanEnter");
  CHECK(enter.int_attribute("states") == 1);
  CHECK(enter.ints_attribute("axes") == std::vector<std::int64_t>{1});
  CHECK(enter.ints_attribute("directions") == std::vector<std::int64_t>{0});
  const Node& exit = node_of(imported, "ScanExit");
  CHECK(names_of(imported, exit.inputs) == Names{"s", "t"});
  CHECK(names_of(imported, exit.outputs) == Names{"final", "all"});
  CHECK(exit.ints_attribute("axes") == std::vector<std::int64_t>{0});

  SECTION("the number of sequences must fit") {
    scan.mutable_attribute(1)->set_i(3);
    CHECK_THAT(import_error(model), Contains("num_scan_inputs"));
  }
}

TEST_CASE("SequenceMap is a loop over the elements") {
  onnx::ModelProto model = new_model();
  onnx::GraphProto& graph = *model.mutable_graph();
  add_input(graph, "x", {6, 4});
  add_node(graph, "SplitToSequence", {"x"}, {"parts"});
  auto& map = add_node(graph, "SequenceMap", {"parts", "x", "parts"}, {"mapped"});
  onnx::GraphProto& body = add_graph(map, "body");
  for (const char* name : {"element", "whole", "other"}) add_input(body, name, {});
  add_node(body, "Sum", {"element", "whole", "other"}, {"o"});
  set_type(*body.add_output(), "o", {});
  add_output(graph, "mapped");
  const Graph imported = import_model(model);
  CHECK(ops_of(imported) == Names{"SplitToSequence", "SequenceLength", "SequenceEmpty", "LoopEnter",
                                  "SequenceAt", "Identity", "SequenceAt", "Sum", "SequenceInsert",
                                  "LoopExit"});
  CHECK(node_of(imported, "Sum").scope == 1);
  CHECK(node_of(imported, "LoopExit").scope == 0);
  CHECK(names_of(imported, node_of(imported, "LoopExit").outputs) == Names{"mapped"});
}

TEST_CASE("loops nest, and see through each other") {
  onnx::ModelProto model = new_model();
  onnx::GraphProto& graph = *model.mutable_graph();
  add_input(graph, "x", {1});
  auto& outer = add_graph(add_node(graph, "Loop", {"", "", "x"}, {"y"}), "body");
  for (const char* name : {"i", "c", "h"}) add_input(outer, name, {});
  auto& inner = add_graph(add_node(outer, "Loop", {"", "", "h"}, {"k"}), "body");
  for (const char* name : {"i2", "c2", "h2"}) add_input(inner, name, {});
  add_node(inner, "Sum", {"h2", "h", "x"}, {"s"});
  add_output(inner, "c");
  add_output(inner, "s");
  add_output(outer, "c");
  add_output(outer, "k");
  add_output(graph, "y");
  const Graph imported = import_model(model);
  REQUIRE(imported.scopes.size() == 3);
  CHECK(imported.scopes[2].parent == 1);
  CHECK(node_of(imported, "Sum").scope == 2);
  CHECK(names_of(imported, node_of(imported, "Sum").inputs) == Names{"h2", "h", "x"});
}

TEST_CASE("a sub-graph of an unknown operator is kept out with a warning") {
  onnx::ModelProto model = new_model();
  onnx::GraphProto& graph = *model.mutable_graph();
  add_input(graph, "x", {1});
  add_graph(add_node(graph, "Strange", {"x"}, {"y"}, "custom"), "body").set_name("inside");
  Warnings warnings;
  CHECK(ops_of(import_model(model, warnings)) == Names{"Strange"});
  REQUIRE(warnings.all().size() == 1);
  CHECK_THAT(warnings.all()[0], Contains("custom::Strange"));
}
