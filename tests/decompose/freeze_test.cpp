// Layers that the user does not train: which gradients are left.

#include "network_from_text.h"
#include "sim/core/error.h"
#include "sim/features/network_queries.h"

using namespace layersim;
using namespace layersim::tests;

namespace {

constexpr const char* kChain = R"(network chain opset 17
input x f32 [2, 8]
weight body.0.weight f32 [8, 16]
weight body.1.weight f32 [16, 16]
weight body.1.bias f32 [16]
weight head.weight f32 [16, 4]
a = MatMul(x, body.0.weight) name "body.0"
r = Relu(a) name "relu"
b = MatMul(r, body.1.weight) name "body.1"
c = Add(b, body.1.bias) name "body.1.add"
s = Sigmoid(c) name "sigmoid"
y = MatMul(s, head.weight) name "head"
output y
)";

Network frozen_chain(std::vector<std::string> globs) {
  DecomposeOptions options;
  options.freeze = std::move(globs);
  return decompose(parse_graph_text(kChain), options);
}

const Layer& layer(const Network& network, std::string_view name) {
  for (const Layer& candidate : network.layers) {
    if (candidate.name == name) return candidate;
  }
  throw internal_error("no layer " + std::string(name));
}

}  // namespace

TEST_CASE("nothing is frozen unless the user says so") {
  const Network network = frozen_chain({});
  CHECK(network.frozen_params == 0);
  CHECK_FALSE(layer(network, "body.0").needs_input_gradient);
  CHECK(layer(network, "body.0").needs_weight_gradient);
  CHECK(layer(network, "head").needs_input_gradient);
}

TEST_CASE("below the first layer that is trained there is no gradient at all") {
  const Network network = frozen_chain({"body*"});
  CHECK(network.params == 128 + 256 + 16 + 64);
  CHECK(network.frozen_params == 128 + 256 + 16);
  for (const Layer& each : network.layers) {
    INFO(each.name);
    CHECK_FALSE(each.needs_input_gradient);
    CHECK(each.needs_weight_gradient == (each.name == "head"));
    CHECK(each.frozen_params == (each.name == "head" ? 0 : each.params));
  }
  const auto queries = make_queries(network);
  CHECK(queries.front().learned_elements == 0);
  CHECK(queries.back().learned_elements == 64);
}

TEST_CASE("a frozen layer above a trained one still passes the gradient on") {
  const Network network = frozen_chain({"head"});
  CHECK(network.frozen_params == 64);
  CHECK(layer(network, "head").needs_input_gradient);
  CHECK_FALSE(layer(network, "head").needs_weight_gradient);
  CHECK(layer(network, "body.0").needs_weight_gradient);
}

TEST_CASE("weights are frozen by their own names too, some of a layer's or all") {
  const Network network = frozen_chain({"*.bias", "body.0.weigh?"});
  CHECK(network.frozen_params == 128 + 16);
  CHECK(layer(network, "body.1").frozen_params == 16);
  CHECK(layer(network, "body.1").needs_weight_gradient);
  CHECK_FALSE(layer(network, "body.0").needs_weight_gradient);
  CHECK_FALSE(layer(network, "body.1").needs_input_gradient);
}

TEST_CASE("a weight that two layers share is frozen for both") {
  DecomposeOptions options;
  options.freeze = {"first"};
  const Network network = decompose(parse_graph_text(R"(network shared opset 17
input x f32 [2, 8]
weight w f32 [8, 8]
a = MatMul(x, w) name "first"
y = MatMul(a, w) name "second"
output y
)"),
                                    options);
  CHECK(network.frozen_params == 64);
  CHECK_FALSE(layer(network, "second").needs_weight_gradient);
}

TEST_CASE("a folded tensor is frozen when all that it was made of is") {
  const auto take = [](std::vector<std::string> globs) {
    DecomposeOptions options;
    options.freeze = std::move(globs);
    return decompose(parse_graph_text(R"(network folded opset 17
input x f32 [2, 8]
weight v f32 [8, 8]
weight g f32 [8, 8]
w = Mul(v, g)
y = MatMul(x, w) name "fc"
output y
)"),
                     options);
  };
  CHECK(take({"v"}).layers.front().needs_weight_gradient);
  CHECK(take({"v"}).layers.front().frozen_params == 64);
  CHECK_FALSE(take({"?"}).layers.front().needs_weight_gradient);
  CHECK_FALSE(take({"fc"}).layers.front().needs_weight_gradient);
  CHECK(take({"fc"}).frozen_params == 128);
}

TEST_CASE("a pattern that fits nothing is wrong use") {
  try {
    static_cast<void>(frozen_chain({"tail*"}));
    FAIL("not noticed");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::bad_use);
    CHECK(std::string(error.what()).starts_with("--freeze tail*: no layer"));
  }
}
