#include "network_from_text.h"

using namespace layersim;
using namespace layersim::tests;

TEST_CASE("dense: MACs, bytes and gradients") {
  const Layer layer = only_layer(R"(
input x f16 [4, 7, 16]
weight w f16 [16, 5]
y = MatMul(x, w)
output y)");
  CHECK(layer.problem.kind->name == "dense");
  CHECK(layer.output_shape == Shape{4, 7, 5});
  CHECK(layer.problem.size("rows") == 28);
  const double macs = 28.0 * 16 * 5;
  CHECK(layer.work.forward.macs == macs);
  CHECK(layer.work.backward_data.macs == macs);
  CHECK(layer.work.backward_weight.macs == macs);
  CHECK(layer.work.forward.bytes_read == 2 * (28 * 16 + 16 * 5));
  CHECK(layer.work.forward.bytes_written == 2 * 28 * 5);
  CHECK(layer.work.backward_weight.bytes_written == 2 * 16 * 5);
  CHECK(layer.params == 80);
}

TEST_CASE("dense: Gemm with transposed operands and bias") {
  const Layer layer = only_layer(R"(
input x f32 [16, 4]
weight w f32 [5, 16]
weight b f32 [5]
y = Gemm(x, w, b) {transA=1, transB=1}
output y)");
  CHECK(layer.output_shape == Shape{4, 5});
  CHECK(layer.work.forward.macs == 4 * 16 * 5);
  CHECK(layer.problem.size("in_features") == 16);
  CHECK(layer.problem.size("out_features") == 5);
  CHECK(layer.problem.size("bias") == 1);
  CHECK(layer.params == 85);
}

TEST_CASE("dense: a stored left matrix") {
  const Layer layer = only_layer(R"(
weight w f32 [5, 16]
input x f32 [3, 16, 4]
y = MatMul(w, x)
output y)");
  CHECK(layer.problem.kind->name == "dense");
  CHECK(layer.output_shape == Shape{3, 5, 4});
  CHECK(layer.problem.size("rows") == 12);
  CHECK(layer.work.forward.macs == 12 * 16 * 5);
}

TEST_CASE("matmul: two activations, broadcast over batch axes") {
  const Layer layer = only_layer(R"(
input a f32 [4, 1, 2, 3]
input b f32 [6, 3, 5]
y = MatMul(a, b)
output y)");
  CHECK(layer.problem.kind->name == "matmul");
  CHECK(layer.output_shape == Shape{4, 6, 2, 5});
  CHECK(layer.work.forward.macs == 24 * 2 * 3 * 5);
  CHECK(layer.work.forward.bytes_read == 4 * (4 * 2 * 3 + 6 * 3 * 5));
  CHECK(layer.work.backward_data.macs == 2 * 24 * 2 * 3 * 5);
  CHECK(layer.work.backward_weight.macs == 0);
}

TEST_CASE("matmul: a stack of stored matrices has a weight gradient") {
  const Layer layer = only_layer(R"(
input a f32 [6, 2, 3]
weight b f32 [6, 3, 5]
y = MatMul(a, b)
output y)");
  CHECK(layer.problem.kind->name == "matmul");
  CHECK(layer.work.backward_data.macs == 6 * 2 * 3 * 5);
  CHECK(layer.work.backward_weight.macs == 6 * 2 * 3 * 5);
  CHECK(layer.params == 90);
}

TEST_CASE("matmul: vectors") {
  CHECK(only_layer("input a f32 [3]\ninput b f32 [3]\ny = MatMul(a, b)\noutput y").output_shape == Shape{});
  CHECK(only_layer("input a f32 [3]\ninput b f32 [2, 3, 5]\ny = MatMul(a, b)\noutput y").output_shape ==
        Shape{2, 5});
  CHECK(only_layer("input a f32 [2, 4, 3]\ninput b f32 [3]\ny = MatMul(a, b)\noutput y").output_shape ==
        Shape{2, 4});
}

TEST_CASE("matrix products of the ONNX Runtime domain") {
  const Layer fused = only_layer(R"(
input a f32 [2, 3, 4]
input b f32 [2, 5, 4]
y = com.microsoft::FusedMatMul(a, b) {transB=1, alpha=0.5}
output y)");
  CHECK(fused.output_shape == Shape{2, 3, 5});
  CHECK(fused.work.forward.macs == 2 * 3 * 4 * 5);

  const Layer rotated = only_layer(R"(
input a f32 [3, 2, 4]
input b f32 [2, 4, 5]
y = com.microsoft::FusedMatMul(a, b) {transBatchA=1}
output y)");
  CHECK(rotated.output_shape == Shape{2, 3, 5});

  const Layer packed = only_layer(R"(
input a f16 [7, 64]
weight b u8 [32, 2, 16]
weight scales f16 [64]
y = com.microsoft::MatMulNBits(a, b, scales) {K=64, N=32, bits=4, block_size=32}
output y)");
  CHECK(packed.output_shape == Shape{7, 32});
  CHECK(packed.work.forward.macs == 7 * 64 * 32);
  CHECK(packed.params == 64 * 32);
  CHECK(packed.weight_bytes == 32 * 2 * 16 + 64 * 2);
  CHECK(packed.work.forward.bytes_read == 2 * 7 * 64 + 64 * 32 / 2);

  const Layer integer = only_layer(R"(
input a u8 [7, 64]
weight b i8 [64, 32]
y = MatMulInteger(a, b)
output y)");
  CHECK(integer.work.forward.macs == 7 * 64 * 32);
  CHECK(integer.params == 64 * 32);
}

TEST_CASE("Einsum becomes the layer that it computes") {
  const auto einsum = [](const std::string& equation, const std::string& a, const std::string& b) {
    return only_layer("input a f32 [" + a + "]\ninput b f32 [" + b + "]\ny = Einsum(a, b) {equation=\"" +
                      equation + "\"}\noutput y");
  };
  const Layer scores = einsum("bhqd, bhkd -> bhqk", "2, 3, 5, 4", "2, 3, 7, 4");
  CHECK(scores.problem.kind->name == "matmul");
  CHECK(scores.output_shape == Shape{2, 3, 5, 7});
  CHECK(scores.work.forward.macs == 6 * 5 * 7 * 4);
  CHECK(scores.problem.size("m") == 5);
  CHECK(scores.problem.size("n") == 7);

  CHECK(einsum("...ij,...jk->...ik", "2, 3, 5, 4", "2, 3, 4, 7").output_shape == Shape{2, 3, 5, 7});
  CHECK(einsum("ij,jk", "5, 4", "4, 7").output_shape == Shape{5, 7});
  CHECK(einsum("i,j->ij", "5", "7").problem.kind->name == "elementwise");
  CHECK(only_layer("input a f32 [5, 4]\ny = Einsum(a) {equation=\"ij->ji\"}\noutput y").problem.kind->name ==
        "data_movement");
  CHECK(only_layer("input a f32 [5, 4]\ny = Einsum(a) {equation=\"ij->i\"}\noutput y").problem.kind->name ==
        "reduce");
  CHECK(only_layer(
            "input a f32 [5, 4]\nweight w f32 [4, 3]\ny = Einsum(a, w) {equation=\"ij,jk->ik\"}\noutput y")
            .problem.kind->name == "dense");
  CHECK_THAT(error_of("input a f32 [5, 4]\ny = Einsum(a) {equation=\"ijk->i\"}\noutput y"),
             Catch::Contains("does not fit"));
  CHECK_THAT(error_of("input a f32 [5, 4]\ny = Einsum(a) {equation=\"ij->k\"}\noutput y"),
             Catch::Contains("output label"));
}

TEST_CASE("operands that do not fit are errors") {
  CHECK_THAT(error_of("input a f16 [7, 64]\nweight b u8 [32, 2, 16]\nweight s f16 [64]\n"
                      "y = com.microsoft::MatMulNBits(a, b, s) {K=64, N=32, bits=0}\noutput y"),
             Catch::Contains("bits"));
  CHECK_THAT(error_of("input a f32 [2, 3]\ninput b f32 [4, 5]\ny = MatMul(a, b)\noutput y"),
             Catch::Contains("3 columns") && Catch::Contains("4 rows"));
  CHECK_THAT(error_of("input a f32 [2, 3, 3]\ninput b f32 [3, 5]\ny = Gemm(a, b)\noutput y"),
             Catch::Contains("matrices"));
  const auto gemm = [](const std::string& added) {
    return error_of("input a f32 [2, 3]\ninput b f32 [3, 5]\nweight c f32 " + added +
                    "\ny = Gemm(a, b, c)\noutput y");
  };
  CHECK_THAT(gemm("[4]"), Catch::Contains("a bias of shape 4 does not fit a product with 5 columns"));
  CHECK_THAT(gemm("[1, 1, 5]"), Catch::Contains("a bias of shape 1x1x5 does not fit"));
  for (const char* fits : {"[5]", "[1]", "[2, 5]", "[7, 1]", "[]"}) CHECK(gemm(fits) == "no error");
  CHECK_THAT(error_of("input a f32 [2, 1, 3]\ninput b f32 [4, 3, 5]\ny = MatMul(a, b)\noutput y"),
             Catch::Contains("do not broadcast"));
}
