// Passes that group what an export spells out.

#include "network_from_text.h"

using namespace layersim;
using namespace layersim::tests;

namespace {
constexpr auto kHead = R"(
input x f32 [2, 5, 16]
weight g f32 [16]
weight b f32 [16]
constant two f32 [] = {2.0}
constant eps f32 [] = {0.00001}
constant half f32 [] = {0.5}
constant one f32 [] = {1.0}
constant three f32 [] = {3.0}
constant six f32 [] = {6.0}
constant zero f32 [] = {0.0}
constant root f32 [] = {1.4142135}
constant c f32 [] = {0.044715}
constant k f32 [] = {0.79788456}
)";

std::string kinds_of(const std::string& body) { return kinds(take_apart(kHead + body + "output y\n")); }
}  // namespace

TEST_CASE("group_layer_norm: the spelling of PyTorch") {
  const Network network = take_apart(std::string(kHead) + R"(
m = ReduceMean(x) {axes=[-1]}
d = Sub(x, m)
p = Pow(d, two)
v = ReduceMean(p) {axes=[-1]}
e = Add(v, eps)
s = Sqrt(e)
q = Div(d, s)
t = Mul(q, g)
y = Add(t, b)
output y)");
  CHECK(kinds(network) == "decomposed_norm");
  const Layer& layer = network.layers[0];
  CHECK(layer.problem.size("rows") == 10);
  CHECK(layer.problem.size("cols") == 16);
  CHECK(layer.problem.size("scale") == 1);
  CHECK(layer.problem.size("bias") == 1);
  CHECK(layer.params == 32);
  CHECK(layer.output_shape == Shape{2, 5, 16});
}

TEST_CASE("group_layer_norm: the square as product, two differences, no scale") {
  CHECK(kinds_of(R"(
m = ReduceMean(x) {axes=[2]}
d = Sub(x, m)
d2 = Sub(x, m)
p = Mul(d, d)
v = ReduceMean(p) {axes=[2]}
e = Add(eps, v)
s = Sqrt(e)
y = Div(d2, s)
)") == "decomposed_norm");
}

TEST_CASE("group_layer_norm: axes as input, casts of mixed precision") {
  CHECK(kinds(take_apart(R"(
input x f16 [2, 5, 16]
weight g f16 [16]
constant two f32 [] = {2.0}
constant eps f32 [] = {0.00001}
constant a i64 [1] = {-1}
f = Cast(x) {to=1}
p = Pow(f, two)
v = ReduceMean(p, a)
e = Add(v, eps)
s = Sqrt(e)
q = Div(f, s)
h = Cast(q) {to=10}
y = Mul(g, h)
output y)")) == "decomposed_norm");
}

TEST_CASE("group_layer_norm: root mean square with a reciprocal") {
  const Network network = take_apart(std::string(kHead) + R"(
p = Pow(x, two)
v = ReduceMean(p) {axes=[-1]}
e = Add(v, eps)
s = Sqrt(e)
r = Div(one, s)
q = Mul(x, r)
y = Mul(g, q)
output y)");
  CHECK(kinds(network) == "decomposed_norm");
  CHECK(network.layers[0].params == 16);
  CHECK(network.layers[0].problem.size("function") == 4);
}

TEST_CASE("group_layer_norm: the factoring of TensorFlow") {
  CHECK(kinds_of(R"(
m = ReduceMean(x) {axes=[2]}
d = Sub(x, m)
p = Mul(d, d)
v = ReduceMean(p) {axes=[2]}
e = Add(v, eps)
s = Sqrt(e)
r = Reciprocal(s)
f = Mul(r, g)
a = Mul(x, f)
o = Mul(m, f)
n = Sub(b, o)
y = Add(a, n)
)") == "decomposed_norm");
}

TEST_CASE("group_layer_norm: a value inside that is read from outside keeps the pattern apart") {
  CHECK(kinds_of(R"(
m = ReduceMean(x) {axes=[-1]}
d = Sub(x, m)
p = Pow(d, two)
v = ReduceMean(p) {axes=[-1]}
e = Add(v, eps)
s = Sqrt(e)
q = Div(d, s)
y = Add(q, v)
)") == "reduce elementwise elementwise reduce elementwise elementwise elementwise elementwise");
}

TEST_CASE("group_layer_norm: a cast of the input that others read stays") {
  CHECK(kinds(take_apart(R"(
input x f16 [2, 5, 16]
constant two f32 [] = {2.0}
constant eps f32 [] = {0.00001}
f = Cast(x) {to=1}
p = Pow(f, two)
v = ReduceMean(p) {axes=[-1]}
e = Add(v, eps)
s = Sqrt(e)
q = Div(f, s)
y = Add(q, f)
output y)")) == "elementwise decomposed_norm elementwise");
}

TEST_CASE("group_gelu: by erf, the factors in any order") {
  CHECK(kinds_of("d = Div(x, root)\ne = Erf(d)\na = Add(e, one)\nm = Mul(x, a)\ny = Mul(m, half)\n") ==
        "activation:gelu");
  CHECK(kinds_of("d = Mul(x, half)\ne = Erf(d)\na = Add(one, e)\nm = Mul(half, a)\ny = Mul(x, m)\n") ==
        "activation:gelu");
  CHECK(kinds_of("h = Mul(half, x)\nd = Div(x, root)\ne = Erf(d)\na = Add(e, one)\ny = Mul(h, a)\n") ==
        "activation:gelu");
  CHECK(kinds_of("d = Div(x, root)\ne = Erf(d)\na = Add(e, one)\nm = Mul(x, a)\ny = Div(m, two)\n") ==
        "activation:gelu");
}

TEST_CASE("group_gelu: by tanh, as exporters write the one kernel") {
  CHECK(kinds_of(R"(
p1 = Mul(x, x)
p = Mul(p1, x)
q = Mul(p, c)
s = Add(x, q)
i = Mul(s, k)
t = Tanh(i)
a = Add(t, one)
m = Mul(x, a)
y = Mul(m, half)
)") == "activation:gelu");
}

TEST_CASE("group_gelu: with Pow the module itself is written so, and each operator runs") {
  CHECK(kinds_of(R"(
p = Pow(x, three)
q = Mul(p, c)
s = Add(x, q)
i = Mul(s, k)
t = Tanh(i)
a = Add(t, one)
h = Mul(x, half)
y = Mul(h, a)
)") == "elementwise elementwise elementwise elementwise activation:tanh elementwise elementwise elementwise");
}

TEST_CASE("group_gelu: other uses of tanh stay") {
  CHECK(kinds_of("t = Tanh(x)\na = Add(t, one)\ny = Mul(a, half)\n") ==
        "activation:tanh elementwise elementwise");
}

TEST_CASE("group_gated_activation: SiLU, quick GELU, hard swish, mish") {
  CHECK(kinds_of("s = Sigmoid(x)\ny = Mul(x, s)\n") == "activation:silu");
  CHECK(kinds_of("q = Mul(x, root)\ns = Sigmoid(q)\ny = Mul(x, s)\n") == "activation:gelu");
  CHECK(kinds_of("s = HardSigmoid(x)\ny = Mul(x, s)\n") == "activation:hard_swish");
  CHECK(kinds_of("a = Add(x, three)\nr = Clip(a, zero, six)\nm = Mul(x, r)\ny = Div(m, six)\n") ==
        "activation:hard_swish");
  CHECK(kinds_of("a = Add(x, three)\nr = Clip(a, zero, six)\nd = Div(r, six)\ny = Mul(d, x)\n") ==
        "activation:hard_swish");
  CHECK(kinds_of("p = Softplus(x)\nt = Tanh(p)\ny = Mul(x, t)\n") == "activation:mish");
  // A gate on another value is no activation.
  CHECK(kinds_of("s = Sigmoid(x)\nz = Exp(x)\ny = Mul(z, s)\n") ==
        "activation:sigmoid elementwise elementwise");
}

TEST_CASE("fuse_bias: a stored vector behind a product or convolution") {
  const Network dense = take_apart(R"(
input x f32 [2, 5, 16]
weight w f32 [16, 8]
weight b f32 [8]
h = MatMul(x, w)
y = Add(b, h)
output y)");
  CHECK(kinds(dense) == "dense");
  CHECK(dense.layers[0].problem.size("bias") == 1);
  CHECK(dense.params == 136);
  const Network conv = take_apart(R"(
input x f32 [2, 3, 8, 8]
weight w f32 [4, 3, 3, 3]
weight b f32 [1, 4, 1, 1]
h = Conv(x, w)
s = Add(h, b)
y = Relu(s)
output y)");
  CHECK(kinds(conv) == "conv:relu");
  CHECK(conv.params == 112);
  // A table of positions is no bias.
  CHECK(kinds(take_apart(R"(
input x f32 [2, 5, 16]
weight w f32 [16, 8]
weight b f32 [5, 8]
h = MatMul(x, w)
y = Add(h, b)
output y)")) == "dense elementwise");
}

TEST_CASE("fuse_activation: the only reader of a layer that fuses") {
  const auto fused = [](const std::string& tail) {
    return kinds(take_apart(
        "input x f32 [2, 16]\nweight w f32 [16, 8]\nconstant zero f32 [] = {0.0}\nconstant six f32 [] "
        "= {6.0}\nconstant one f32 [] = {1.0}\nweight slopes f32 [8]\nh = MatMul(x, w)\n" +
        tail + "\noutput y"));
  };
  CHECK(fused("y = Relu(h)") == "dense:relu");
  CHECK(fused("y = Clip(h, zero, six)") == "dense:relu");
  CHECK(fused("y = Clip(h, one, six)") == "dense activation:relu");
  CHECK(fused("s = Sigmoid(h)\ny = Mul(h, s)") == "dense:silu");
  CHECK(fused("y = PRelu(h, slopes)") == "dense activation:leaky_relu");
  CHECK(fused("r = Relu(h)\ny = Add(r, h)") == "dense activation:relu elementwise");
  CHECK(fused("y = Relu(h)\noutput h") == "dense activation:relu");
  CHECK(fused("y = Softmax(h)") == "dense softmax");
}
