#include <catch2/catch.hpp>

#include "tests/graph/inferred.h"

using namespace layersim;
using namespace layersim::tests;

namespace {

ValueId add_value(Graph& graph, const std::string& name) {
  return graph.add_value({name, Origin::computed, {}, {}, {}});
}

Node& add_node(Graph& graph, std::string op, std::vector<ValueId> inputs, std::vector<ValueId> outputs,
               int scope = 0, bool control = false) {
  Node node;
  node.op = std::move(op);
  node.domain = control ? kControlDomain : "";
  node.opset = 17;
  node.scope = scope;
  node.inputs = std::move(inputs);
  node.outputs = std::move(outputs);
  return graph.add_node(std::move(node));
}

ValueId truth(GraphBuilder& builder, const std::string& name, bool value) {
  const ValueId id = builder.constant(name, std::vector<std::int64_t>{value ? 1 : 0}, Shape{});
  builder.graph().value(id).tensor.dtype = DType::boolean;
  return id;
}

// A loop that adds a row to its carried value and gives it out, `condition_out` as condition.
struct LoopParts {
  ValueId trips = kNoValue;
  bool grows = false;
  std::string condition = "same";  // same, false, open
};

Graph loop(const LoopParts& parts, std::int64_t trips) {
  GraphBuilder builder("loop");
  const ValueId x = builder.input("x", DType::f32, {{2, ""}, {4, ""}});
  const ValueId row = builder.weight("row", DType::f32, {1, 4});
  const ValueId open = builder.input("open", DType::boolean, {});
  const ValueId count = builder.constant("count", std::vector<std::int64_t>{trips}, Shape{});
  const ValueId stop = truth(builder, "stop", false);
  Graph graph = builder.take();
  graph.scopes.push_back({Scope::Kind::loop, 0, "again", std::nullopt, -1, 0, false});
  const ValueId i = add_value(graph, "i");
  const ValueId c = add_value(graph, "c");
  const ValueId h = add_value(graph, "h");
  add_node(graph, "LoopEnter", {trips < 0 ? kNoValue : count, kNoValue, x}, {i, c, h}, 0, true)
      .attributes.push_back({"scope", std::int64_t{1}});
  const ValueId next = add_value(graph, "next");
  if (parts.grows) {
    add_node(graph, "Concat", {h, row}, {next}, 1).attributes.push_back({"axis", std::int64_t{0}});
  } else {
    add_node(graph, "Add", {h, row}, {next}, 1);
  }
  ValueId condition = add_value(graph, "condition");
  if (parts.condition == "same") add_node(graph, "Identity", {c}, {condition}, 1);
  if (parts.condition == "false") condition = stop;
  if (parts.condition == "open") condition = open;
  const ValueId last = add_value(graph, "last");
  const ValueId all = add_value(graph, "all");
  Node& exit = add_node(graph, "LoopExit", {condition, next, next}, {last, all}, 0, true);
  exit.attributes.push_back({"scope", std::int64_t{1}});
  exit.attributes.push_back({"carried", std::int64_t{1}});
  graph.outputs = {last, all};
  return graph;
}

// If(condition) then Squeeze(x, axis 0) else Identity(x) where x is [rows, 4].
Graph branch(std::optional<bool> condition, std::int64_t rows) {
  GraphBuilder builder("branch");
  const ValueId x = builder.input("x", DType::f32, {{rows, ""}, {4, ""}});
  const ValueId axis = builder.constant("axis", std::vector<std::int64_t>{0});
  const ValueId given =
      condition ? truth(builder, "given", *condition) : builder.input("given", DType::boolean, {});
  Graph graph = builder.take();
  graph.scopes.push_back({Scope::Kind::branch, 0, "choice", std::nullopt, 1, 0, false});
  graph.scopes.push_back({Scope::Kind::branch, 0, "choice", std::nullopt, 1, 1, false});
  const ValueId yes = add_value(graph, "yes");
  const ValueId no = add_value(graph, "no");
  const ValueId y = add_value(graph, "y");
  add_node(graph, "Squeeze", {x, axis}, {yes}, 1);
  add_node(graph, "Identity", {x}, {no}, 2);
  Node& join = add_node(graph, "IfJoin", {given, yes, no}, {y}, 0, true);
  join.name = "choice";
  join.attributes.push_back({"branch_group", std::int64_t{1}});
  graph.outputs = {y};
  return graph;
}

}  // namespace

TEST_CASE("a loop runs as often as its trip count says") {
  const Inferred result = infer(loop({}, 5));
  CHECK(result.graph.scopes[1].trip_count == 5);
  CHECK(result.type("h") == "f32 2x4");
  CHECK(result.type("i") == "i64 scalar");
  CHECK(result.type("last") == "f32 2x4");
  CHECK(result.type("all") == "f32 5x2x4");
  CHECK(result.warnings.all().empty());
}

TEST_CASE("a loop whose end is not known is counted once, with a way to tell") {
  for (const Graph& graph : {loop({}, -1), loop({}, std::numeric_limits<std::int64_t>::max())}) {
    const Inferred result = infer(graph);
    CHECK_FALSE(result.graph.scopes[1].trip_count.has_value());
    CHECK(result.type("all") == "f32 ?x2x4");
    CHECK(result.all_warnings() ==
          "Loop 'again': the number of iterations is not known, one is counted: give it by --dim "
          "again=TRIPS\n");
    ShapeBindings bindings;
    bindings.dims = {{"again", 7}};
    CHECK(infer(graph, bindings).type("all") == "f32 7x2x4");
  }
}

TEST_CASE("the condition of a loop counts") {
  CHECK(infer(loop({kNoValue, false, "false"}, 5)).graph.scopes[1].trip_count == 1);
  const Inferred open = infer(loop({kNoValue, false, "open"}, 5));
  CHECK(open.graph.scopes[1].trip_count == 5);
  CHECK_THAT(open.all_warnings(), Catch::Contains("may end before its 5 iterations"));
  const Inferred none = infer(loop({}, 0));
  CHECK(none.graph.scopes[1].trip_count == 0);
  CHECK(none.type("all") == "f32 0x2x4");
}

TEST_CASE("a carried value that grows is carried on to the end") {
  const Inferred result = infer(loop({kNoValue, true, "same"}, 5));
  CHECK(result.type("last") == "f32 7x4");
  CHECK_THAT(result.all_warnings(), Catch::Contains("changes a carried shape from 2x4 to 3x4"));
}

TEST_CASE("only the branch that a known condition selects runs") {
  // Three rows cannot be squeezed away; that branch never runs.
  const Inferred result = infer(branch(false, 3));
  CHECK(result.graph.scopes[1].dead);
  CHECK_FALSE(result.graph.scopes[2].dead);
  CHECK(result.type("y") == "f32 3x4");
  CHECK(result.warnings.all().empty());
  CHECK(infer(branch(true, 1)).type("y") == "f32 4");
  CHECK_THROWS_WITH(infer(branch(true, 3)), Catch::Contains("cannot squeeze axis 0 of 3x4"));
}

TEST_CASE("branches that may both run are merged, impossible ones left out") {
  const Inferred merged = infer(branch(std::nullopt, 1));
  CHECK(merged.type("y") == "f32 4");
  CHECK_THAT(merged.all_warnings(), Catch::Contains("If 'choice' gives 4 or 1x4"));
  const Inferred impossible = infer(branch(std::nullopt, 3));
  CHECK(impossible.type("y") == "f32 3x4");
  CHECK(impossible.graph.scopes[1].dead);
  CHECK_THAT(impossible.all_warnings(), Catch::Contains("the then branch cannot run and is left out"));
}

TEST_CASE("a scan runs over its sequences") {
  GraphBuilder builder("scan");
  const ValueId state = builder.input("state", DType::f32, {{3, ""}});
  const ValueId sequence = builder.input("sequence", DType::f32, {{3, ""}, {6, ""}});
  Graph graph = builder.take();
  graph.scopes.push_back({Scope::Kind::loop, 0, "scan", std::nullopt, -1, 0, false});
  const ValueId s = add_value(graph, "s");
  const ValueId x = add_value(graph, "x");
  Node& enter = add_node(graph, "ScanEnter", {state, sequence}, {s, x}, 0, true);
  enter.attributes = {
      {"scope", std::int64_t{1}}, {"states", std::int64_t{1}}, {"axes", std::vector<std::int64_t>{1}}};
  const ValueId next = add_value(graph, "next");
  add_node(graph, "Add", {s, x}, {next}, 1);
  const ValueId last = add_value(graph, "last");
  const ValueId all = add_value(graph, "all");
  Node& exit = add_node(graph, "ScanExit", {next, next}, {last, all}, 0, true);
  exit.attributes = {
      {"scope", std::int64_t{1}}, {"states", std::int64_t{1}}, {"axes", std::vector<std::int64_t>{-1}}};
  const Inferred result = infer(std::move(graph));
  CHECK(result.graph.scopes[1].trip_count == 6);
  CHECK(result.type("x") == "f32 3");
  CHECK(result.type("last") == "f32 3");
  CHECK(result.type("all") == "f32 3x6");
}
