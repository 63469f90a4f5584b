// What holds for every network: totals, names, scopes, what is left out, what has no model.

#include <set>

#include "network_from_text.h"

using namespace layersim;
using namespace layersim::tests;

TEST_CASE("layers have unique names") {
  const Network network = take_apart(R"(
input x f32 [2, 16]
weight w f32 [16, 16]
a = MatMul(x, w) name "fc"
b = MatMul(a, w) name "fc"
c = MatMul(b, w) name "fc_2"
y = MatMul(c, w)
output y)");
  std::set<std::string> names;
  for (const Layer& layer : network.layers) names.insert(layer.name);
  CHECK(names.size() == 4);
  CHECK(network.layers[0].name == "fc");
  CHECK(network.layers[3].name == "y");
  CHECK(network.params == 256);
  CHECK(network.macs_max == 4 * 2 * 256);
}

TEST_CASE("an activation that is fused keeps its name and operator beside the layer's") {
  const Network network = take_apart(R"(
input x f32 [2, 16]
weight w f32 [16, 16]
a = MatMul(x, w) name ""
b = MatMul(a, w) name "dup"
r = Relu(b) name "dup"
c = MatMul(r, w) name "r"
s = Sigmoid(c) name ""
y = Mul(c, s) name ""
output y)");
  REQUIRE(network.layers.size() == 3);
  CHECK(network.layers[0].name == "a");
  CHECK_FALSE(network.layers[0].fused);
  CHECK(network.layers[1].name == "dup");
  REQUIRE(network.layers[1].fused);
  CHECK(network.layers[1].fused->name == "dup_2");
  CHECK(network.layers[1].fused->op == "Relu");
  CHECK(network.layers[2].name == "r");
  REQUIRE(network.layers[2].fused);
  CHECK(network.layers[2].fused->name == "y");
  CHECK(network.layers[2].fused->op == "Silu");
}

TEST_CASE("an operator without a model is a row with its bytes") {
  const Network network = take_apart(R"(
input x f32 [2, 16]
weight w f32 [16, 4]
h = com.acme::Magic(x, w)
info h f32 [2, 4]
y = Relu(h)
output y)");
  REQUIRE(network.layers.size() == 2);
  const Layer& layer = network.layers[0];
  CHECK(layer.problem.kind == nullptr);
  CHECK_FALSE(layer.unmodelled_reason.empty());
  CHECK(layer.op == "Magic");
  CHECK(layer.work.forward.bytes_read == 4 * (32 + 64));
  CHECK(layer.work.forward.bytes_written == 4 * 8);
  CHECK(layer.output_shape == Shape{2, 4});
  CHECK(layer.params == 64);
  CHECK(network.params == 64);
}

TEST_CASE("sizes that only the data decide give a row that says so") {
  const Network network = take_apart(R"(
input x f32 [2, 16]
n = NonZero(x)
y = Cast(n) {to=1}
output y)");
  REQUIRE(network.layers.size() == 2);
  for (const Layer& layer : network.layers) {
    CHECK(layer.problem.kind == nullptr);
    CHECK_FALSE(layer.unmodelled_reason.empty());
  }
}

TEST_CASE("nodes that lead to no output are left out with a warning") {
  const Network network = take_apart(R"(
input x f32 [2, 16]
weight w f32 [16, 16]
weight v f32 [16, 16]
y = MatMul(x, w)
d = MatMul(x, v)
e = Relu(d)
output y)");
  CHECK(kinds(network) == "dense");
  CHECK(network.params == 256);
  REQUIRE(network.warnings.all().size() == 1);
  CHECK_THAT(network.warnings.all()[0],
             Catch::Contains("2 nodes do not contribute") && Catch::Contains("MatMul"));
}

TEST_CASE("constants are no parameters; statistics, bounds and initial states neither") {
  const Network network = take_apart(R"(
input x f32 [1, 2, 16]
weight scalar f32 []
constant table f32 [3] = {1.0, 2.0, 3.0}
weight h0 f32 [1, 2, 16]
weight w f32 [1, 16, 16]
weight r f32 [1, 16, 16]
weight s f32 [2]
a = BatchNormalization(x, s, s, s, s)
n, h = RNN(a, w, r, _, _, h0)
c = Mul(n, scalar)
y = Clip(c, scalar)
output y)");
  CHECK(network.params == 512 + 2);
}

TEST_CASE("gradients stop where nothing learned stands before") {
  const Network network = take_apart(R"(
input x f32 [1, 3, 8, 8]
weight w f32 [4, 3, 3, 3]
weight v f32 [4, 4, 3, 3]
constant scale f32 [] = {0.5}
n = Mul(x, scale)
a = Conv(n, w)
b = Conv(a, v)
y = Add(b, scale)
output y)");
  REQUIRE(network.layers.size() == 4);
  const auto gradients = [&](std::size_t i) {
    return std::pair(network.layers[i].needs_input_gradient, network.layers[i].needs_weight_gradient);
  };
  CHECK(gradients(0) == std::pair(false, false));
  CHECK(gradients(1) == std::pair(false, true));
  CHECK(gradients(2) == std::pair(true, true));
  CHECK(gradients(3) == std::pair(true, false));
}

namespace {

// x [1, 4] -> If(condition, then: x w w with w [4, 4], else: a loop that multiplies by w five times).
Graph branching(std::optional<bool> condition_value) {
  GraphBuilder builder("branching");
  Graph& graph = builder.graph();
  const ValueId x = builder.input("x", DType::f32, {{1, ""}, {4, ""}});
  ValueId condition = builder.input("condition", DType::boolean, {});
  if (condition_value) {
    condition = builder.constant("known", std::vector<std::int64_t>{*condition_value ? 1 : 0}, Shape{});
    graph.value(condition).tensor.dtype = DType::boolean;
  }
  const ValueId trips = builder.constant("trips", std::vector<std::int64_t>{5}, Shape{});
  const ValueId w = builder.weight("w", DType::f32, {4, 4});
  graph.scopes.push_back({Scope::Kind::branch, 0, "if", std::nullopt, 0, 0, false});
  graph.scopes.push_back({Scope::Kind::branch, 0, "if", std::nullopt, 0, 1, false});
  graph.scopes.push_back({Scope::Kind::loop, 2, "loop", std::nullopt, -1, 0, false});
  const auto control = [&](const char* op, const char* name, std::vector<ValueId> inputs,
                           std::vector<Attribute> attributes, std::size_t outputs, int scope) {
    const ValueId first = builder.node(op, name, std::move(inputs), std::move(attributes), outputs,
                                       std::string(kControlDomain));
    graph.nodes.back().scope = scope;
    return first;
  };
  const auto multiply = [&](const char* name, ValueId input, int scope) {
    const ValueId output = builder.node("MatMul", name, {input, w});
    graph.nodes.back().scope = scope;
    return output;
  };
  const ValueId then = multiply("then2", multiply("then1", x, 1), 1);
  control("LoopEnter", "enter", {trips, kNoValue, x}, {{"scope", std::int64_t{3}}}, 3, 2);
  const ValueId inside_condition = builder.last_output(1);
  const ValueId product = multiply("else", builder.last_output(2), 3);
  const ValueId otherwise = control("LoopExit", "exit", {inside_condition, product},
                                    {{"scope", std::int64_t{3}}, {"carried", std::int64_t{1}}}, 1, 2);
  builder.output(
      control("IfJoin", "join", {condition, then, otherwise}, {{"branch_group", std::int64_t{0}}}, 1, 0));
  return builder.take();
}

}  // namespace

TEST_CASE("branches give a range of MACs, loops multiply, dead branches count nothing") {
  const Network both = decompose(branching(std::nullopt), {});
  CHECK(both.macs_min == 2 * 16);
  CHECK(both.macs_max == 5 * 16);
  REQUIRE(both.layers.size() == 3);
  CHECK(both.params == 16);
  CHECK(both.repeats(both.layers[0]) == 1);
  CHECK(both.repeats(both.layers[2]) == 5);
  CHECK(both.layers[2].needs_input_gradient);
  const Network otherwise = decompose(branching(false), {});
  REQUIRE(otherwise.layers.size() == 1);
  CHECK(otherwise.macs_min == 80);
  CHECK(otherwise.macs_max == 80);
  const Network then = decompose(branching(true), {});
  CHECK(then.layers.size() == 2);
  CHECK(then.macs_max == 32);
}

TEST_CASE("a node's error says where it is") {
  CHECK_THAT(error_of("input x f32 [2, 16]\nweight w f32 [8, 4]\ny = MatMul(x, w) name \"head\"\noutput y"),
             Catch::StartsWith("node 'head' (MatMul): "));
}

TEST_CASE("identities do not hide a pattern") {
  const Network network = take_apart(R"(
input x f32 [2, 16]
weight w f32 [16, 8]
h = MatMul(x, w)
i = Identity(h)
y = Relu(i)
output y)");
  CHECK(kinds(network) == "dense:relu");
}

TEST_CASE("a mask of bytes is no parameter, a table of bytes is") {
  const Network mask = take_apart(R"(
input x f32 [1, 8, 8]
weight m u8 [8, 8]
constant low f32 [] = {-10000.0}
b = Cast(m) {to=9}
y = Where(b, x, low)
output y)");
  CHECK(mask.params == 0);
  const Network table = take_apart(R"(
input ids i64 [5]
weight t u8 [100, 8]
constant s f32 [] = {0.5}
r = Gather(t, ids)
y = DequantizeLinear(r, s)
output y)");
  CHECK(table.params == 800);
  CHECK(kinds(table) == "embedding elementwise");
}

TEST_CASE("layers without a model are counted and named by their operators") {
  CHECK(unmodelled_warning(take_apart("input x f32 [2, 16]\ny = Relu(x)\noutput y")).empty());
  const auto warning = [](int operators) {
    std::string text = "input x f32 [2, 16]\n";
    std::string last = "x";
    for (int i = 0; i < operators; ++i) {
      text += "v" + std::to_string(i) + " = custom::Op" + std::to_string(i) + "(" + last + ")\n";
      last = "v" + std::to_string(i);
    }
    return unmodelled_warning(take_apart(text + "output " + last));
  };
  CHECK(warning(1) == "1 layer has no model (Op0): estimated from bytes where these are known");
  CHECK_THAT(warning(2), Catch::StartsWith("2 layers have no model (Op0, Op1): "));
  CHECK_THAT(warning(7), Catch::StartsWith("7 layers have no model (Op0, Op1, Op2, Op3, Op4 and others): "));
}
