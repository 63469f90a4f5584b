// Passes that fold: constants and quantization.

#include "network_from_text.h"

using namespace layersim;
using namespace layersim::tests;

TEST_CASE("fold_constants: what reads stored tensors alone costs nothing and charges its source once") {
  const Network network = take_apart(R"(
input x f32 [2, 16]
weight w f32 [8, 16]
constant p i64 [2] = {16, 8}
t = Transpose(w)
i = Identity(t)
h = MatMul(x, i)
r = Reshape(i, p)
g = MatMul(x, r)
y = Add(h, g)
output y)");
  CHECK(kinds(network) == "dense dense elementwise");
  CHECK(network.params == 128);
  CHECK(network.weight_bytes == 512);
  CHECK(network.layers[0].params == 128);
  CHECK(network.layers[1].params == 0);
  CHECK(network.layers[0].needs_weight_gradient);
  CHECK(network.layers[1].needs_weight_gradient);
  CHECK(network.macs_max == 2 * 2 * 16 * 8);
}

TEST_CASE("fold_constants: equal biases merged behind Identity count once") {
  const Network network = take_apart(R"(
input x f32 [2, 8]
weight w1 f32 [8, 8]
weight w2 f32 [8, 8]
weight b f32 [8]
b2 = Identity(b)
h = Gemm(x, w1, b)
y = Gemm(h, w2, b2)
output y)");
  CHECK(network.params == 64 + 64 + 8);
  CHECK(network.layers[0].params == 72);
  CHECK(network.layers[1].params == 64);
}

TEST_CASE("fold_constants: what depends on shapes alone is known before the run") {
  const Network network = take_apart(R"(
input x f32 [2, 16]
weight r f32 [1, 16, 16]
weight w f32 [1, 16, 16]
constant n i64 [3] = {1, 2, 16}
z = ConstantOfShape(n)
constant a i64 [1] = {0}
u = Unsqueeze(x, a)
y, h = RNN(u, w, r, _, _, z)
output y)");
  CHECK(kinds(network) == "recurrent");
  CHECK(network.params == 512);
}

TEST_CASE("fold_constants: unknown operators are not folded") {
  const Network network = take_apart(R"(
input x f32 [2, 16]
weight w f32 [16]
v = com.acme::Shuffle(w)
info v f32 [16]
y = Add(x, v)
output y)");
  CHECK(kinds(network) == "? elementwise");
  CHECK(network.params == 16);
}

TEST_CASE("fold_quantize: QDQ around operators gives integer layers") {
  const Network network = take_apart(R"(
input x f32 [1, 3, 8, 8]
constant s f32 [] = {0.5}
constant z u8 [] = {0}
constant zw i8 [] = {0}
weight wq i8 [4, 3, 3, 3]
weight bq i32 [4]
w = DequantizeLinear(wq, s, zw)
b = DequantizeLinear(bq, s)
xq = QuantizeLinear(x, s, z)
xd = DequantizeLinear(xq, s, z)
c = Conv(xd, w, b)
r = Relu(c)
rq = QuantizeLinear(r, s, z)
rd = DequantizeLinear(rq, s, z)
p = GlobalAveragePool(rd)
pq = QuantizeLinear(p, s, z)
y = DequantizeLinear(pq, s, z)
output y)");
  CHECK(kinds(network) == "elementwise conv:relu pool elementwise");
  const Layer& conv = network.layers[1];
  CHECK(conv.problem.dtype == DType::u8);
  CHECK(conv.problem.weight_dtype == DType::i8);
  CHECK(conv.params == 108 + 4);
  CHECK(conv.weight_bytes == 108 + 4 * 4);
  CHECK(conv.work.forward.bytes_written == 4 * 36);
  CHECK(network.layers[2].problem.dtype == DType::u8);
}

TEST_CASE("fold_quantize: quantized weights alone leave the arithmetic in floating point") {
  const Network network = take_apart(R"(
input x f32 [2, 16]
constant s f32 [] = {0.5}
weight wq i8 [16, 8]
w = DequantizeLinear(wq, s)
y = MatMul(x, w)
output y)");
  CHECK(kinds(network) == "dense");
  CHECK(network.layers[0].problem.dtype == DType::f32);
  CHECK(network.layers[0].problem.weight_dtype == DType::i8);
  CHECK(network.layers[0].work.forward.bytes_read == 4 * 32 + 128);
  CHECK(network.weight_bytes == 128);
}

TEST_CASE("fold_quantize: a normalization stays in floating point") {
  const Network network = take_apart(R"(
input x u8 [2, 16]
constant s f32 [] = {0.5}
constant z u8 [] = {0}
weight g f32 [16]
d = DequantizeLinear(x, s, z)
n = LayerNormalization(d, g)
y = QuantizeLinear(n, s, z)
output y)");
  CHECK(kinds(network) == "elementwise norm elementwise");
}
