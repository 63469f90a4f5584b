#include "sim/graph/graph_text.h"

#include <catch2/catch.hpp>

#include "sim/core/error.h"

using namespace layersim;

namespace {
constexpr auto kText = R"(network mlp opset 17
input x f32 [N, 784]
weight w1 f32 [784, 128]
constant axes i64 [1] = {1}
h = MatMul(x, w1) name "fc"
y, mask = Dropout(h, _) {ratio=0.5, seed=3} name "drop"
z = com.acme::Scale(y) {factors=[1.5, 2.0], sizes=[1, 2], how="up"} name "z"
output z
)";
}  // namespace

TEST_CASE("the text form survives a round trip") {
  const Graph graph = parse_graph_text(kText);
  REQUIRE(graph.nodes.size() == 3);
  CHECK(graph.nodes[1].inputs[1] == kNoValue);
  CHECK(graph.nodes[1].real_attribute("ratio") == 0.5);
  CHECK(graph.nodes[2].domain == "com.acme");
  CHECK(graph.value(graph.inputs[0]).declared->front().symbol == "N");
  CHECK(to_text(graph) == kText);
}

TEST_CASE("the text form names the line of an error") {
  for (const char* text :
       {"input x f32 [N\n", "a = Relu(b)\n", "input x f33 [1]\n", "hello\n", "constant c i64 [2] = {1}\n",
        "input x f32 [1]\ninput x f32 [1]\n", "output _\n", "info _ f32 [1]\n", "input _ f32 [1]\n",
        "weight w f32 [4611686018427387904, 4]\n"}) {
    CHECK_THROWS_WITH(parse_graph_text(text), Catch::StartsWith("line "));
  }
}
