#include "sim/parallel/tensor_parallel.h"

#include <catch2/catch.hpp>

#include "sim/import/open_network.h"
#include "tests/network_from_text.h"

using namespace layersim;
using namespace layersim::tests;
using Catch::Matchers::Contains;

namespace {

// One head pair of attention and a perceptron, with residual sums: 4 samples of 8 tokens, width 16.
constexpr const char* kBlock = R"(network block opset 17
input x f32 [4, 8, 16]
weight wq f32 [16, 16]
weight wk f32 [16, 16]
weight wv f32 [16, 16]
weight wo f32 [16, 16]
weight w1 f32 [16, 64]
weight w2 f32 [64, 16]
constant heads i64 [4] = {4, 8, 2, 8}
constant flat i64 [3] = {4, 8, 16}
q = MatMul(x, wq) name "q"
k = MatMul(x, wk) name "k"
v = MatMul(x, wv) name "v"
q4 = Reshape(q, heads)
k4 = Reshape(k, heads)
v4 = Reshape(v, heads)
qt = Transpose(q4) {perm=[0, 2, 1, 3]} name "qt"
kt = Transpose(k4) {perm=[0, 2, 3, 1]} name "kt"
vt = Transpose(v4) {perm=[0, 2, 1, 3]} name "vt"
s = MatMul(qt, kt) name "scores"
p = Softmax(s) {axis=-1} name "softmax"
c = MatMul(p, vt) name "context"
ct = Transpose(c) {perm=[0, 2, 1, 3]} name "ct"
cf = Reshape(ct, flat)
o = MatMul(cf, wo) name "out"
r = Add(x, o) name "residual"
h = MatMul(r, w1) name "up"
g = Relu(h) name "act"
d = MatMul(g, w2) name "down"
y = Add(r, d) name "residual2"
output y
)";

const Layer& layer(const Network& network, const std::string& name) {
  for (const Layer& candidate : network.layers) {
    if (candidate.name == name) return candidate;
  }
  FAIL("no layer " << name);
  throw 0;
}

}  // namespace

TEST_CASE("of two dense layers in a row the first is cut by outputs, the second by inputs") {
  const TensorParallelShare share = share_network(take_apart(kBlock), 2);
  const Network& network = share.network;
  CHECK(layer(network, "q").problem.size("out_features") == 8);
  CHECK(layer(network, "q").problem.size("in_features") == 16);
  CHECK(layer(network, "out").problem.size("in_features") == 8);
  CHECK(layer(network, "out").problem.size("out_features") == 16);
  CHECK(layer(network, "up").problem.size("out_features") == 32);
  CHECK(layer(network, "down").problem.size("in_features") == 32);
}

TEST_CASE("attention is cut by its heads, and residual sums are whole") {
  const Network whole = take_apart(kBlock);
  const TensorParallelShare share = share_network(take_apart(kBlock), 2);
  CHECK(layer(share.network, "scores").problem.size("batch") == 4);
  CHECK(layer(share.network, "softmax").problem.size("rows") ==
        layer(whole, "softmax").problem.size("rows") / 2);
  CHECK(layer(share.network, "qt").work.forward.bytes() == layer(whole, "qt").work.forward.bytes() / 2);
  CHECK(layer(share.network, "residual").work.forward.bytes() ==
        layer(whole, "residual").work.forward.bytes());
  double macs = 0;
  double whole_macs = 0;
  for (std::size_t i = 0; i < whole.layers.size(); ++i) {
    macs += share.network.layers[i].work.forward.macs;
    whole_macs += whole.layers[i].work.forward.macs;
  }
  CHECK(macs == whole_macs / 2);
  CHECK(share.network.params == whole.params / 2);
  CHECK(share.network.weight_bytes == whole.weight_bytes / 2);
}

TEST_CASE("one sum a block and direction: of the attention and of the perceptron") {
  const TensorParallelShare share = share_network(take_apart(kBlock), 2);
  const double activation_bytes = 4 * 8 * 16 * 4;
  CHECK(share.forward_bytes == std::vector<double>{activation_bytes, activation_bytes});
  // The input of q, k and v is that of the network, which needs no gradient; that of `up` does.
  CHECK(share.backward_bytes == std::vector<double>{activation_bytes});
}

TEST_CASE("a language model is cut whole: four sums a block, its tokens and its output matrix") {
  Warnings warnings;
  DecomposeOptions options;
  options.bindings.batch = 2;
  const Network whole = decompose(open_network("gpt2", warnings), options);
  const TensorParallelShare share = share_network(whole, 4);
  // 12 blocks; the tokens' table forward, the output matrix backward.
  CHECK(share.forward_bytes.size() == 2 * 12 + 1);
  CHECK(share.backward_bytes.size() == 2 * 12 + 1);
  CHECK(share.forward_bytes.back() == 2 * 1024 * 768 * 4.0);
  CHECK(share.network.params < 0.26 * whole.params);
}

TEST_CASE("a network without dense layers cannot be cut") {
  CHECK_THROWS_WITH(share_network(take_apart(R"(network conv opset 17
input x f32 [1, 3, 8, 8]
weight w f32 [4, 3, 3, 3]
y = Conv(x, w)
output y
)"),
                                  2),
                    Contains("tensor parallelism cuts dense layers"));
}
