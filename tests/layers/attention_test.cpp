#include "network_from_text.h"

using namespace layersim;
using namespace layersim::tests;

TEST_CASE("attention: the ONNX operator, four axes and three") {
  const Layer layer = only_layer(R"(
input q f32 [2, 8, 10, 16]
input k f32 [2, 4, 12, 16]
input v f32 [2, 4, 12, 32]
y = Attention(q, k, v) {is_causal=1}
output y)");
  CHECK(layer.output_shape == Shape{2, 8, 10, 32});
  const double scores = 2 * 8 * 10 * 12;
  CHECK(layer.work.forward.macs == scores * (16 + 32));
  CHECK(layer.work.backward_data.macs == 2 * scores * (16 + 32));
  CHECK(layer.work.forward.bytes_read == 4 * (2 * 8 * 10 * 16 + 2 * 4 * 12 * (16 + 32)));
  CHECK(layer.work.forward.bytes_written == 4 * 2 * 8 * 10 * 32);
  CHECK(layer.work.kept_elements == scores);

  const Network flat = take_apart(R"(
input q f32 [2, 10, 128]
input k f32 [2, 12, 64]
input v f32 [2, 12, 128]
input pk f32 [2, 4, 5, 16]
input pv f32 [2, 4, 5, 32]
y, present = Attention(q, k, v, _, pk, pv) {q_num_heads=8, kv_num_heads=4}
output y
output present)");
  REQUIRE(flat.layers.size() == 1);
  CHECK(flat.layers[0].output_shape == Shape{2, 10, 256});
  CHECK(flat.layers[0].work.forward.macs == 2 * 8 * 10 * 17 * 48);
  CHECK(*flat.graph.value(flat.graph.outputs.at(1)).tensor.shape == Shape{2, 4, 17, 16});
}

TEST_CASE("attention: the Microsoft operator projects first") {
  const Network network = take_apart(R"(
input x f32 [2, 128, 64]
weight w f32 [64, 192]
weight b f32 [192]
y = com.microsoft::Attention(x, w, b) {num_heads=4} name "attn"
output y)");
  CHECK(kinds(network) == "dense attention");
  CHECK(network.layers[0].name == "attn.projection");
  CHECK(network.layers[0].output_shape == Shape{2, 128, 192});
  CHECK(network.layers[0].params == 64 * 192 + 192);
  CHECK(network.layers[1].params == 0);
  CHECK(network.layers[0].work.forward.macs == 256 * 64 * 192);
  CHECK(network.layers[1].work.forward.macs == 2 * 4 * 128 * 128 * 32);
  CHECK(network.layers[1].output_shape == Shape{2, 128, 64});
}

TEST_CASE("attention: multi-head and grouped-query forms of the ONNX Runtime domain") {
  const Layer cross = only_layer(R"(
input q f32 [2, 10, 64]
input k f32 [2, 12, 64]
input v f32 [2, 12, 64]
y = com.microsoft::MultiHeadAttention(q, k, v) {num_heads=4}
output y)");
  CHECK(cross.output_shape == Shape{2, 10, 64});
  CHECK(cross.work.forward.macs == 2 * 4 * 10 * 12 * 32);
  const Layer packed = only_layer(R"(
input q f32 [2, 10, 4, 3, 16]
y = com.microsoft::MultiHeadAttention(q) {num_heads=4}
output y)");
  CHECK(packed.output_shape == Shape{2, 10, 64});
  CHECK(packed.work.forward.macs == 2 * 4 * 10 * 10 * 32);
  const Layer grouped = only_layer(R"(
input q f16 [2, 1, 128]
input k f16 [2, 1, 32]
input v f16 [2, 1, 32]
input pk f16 [2, 2, 9, 16]
input pv f16 [2, 2, 9, 16]
y = com.microsoft::GroupQueryAttention(q, k, v, pk, pv) {num_heads=8, kv_num_heads=2}
output y)");
  CHECK(grouped.output_shape == Shape{2, 1, 128});
  CHECK(grouped.work.forward.macs == 2 * 8 * 1 * 10 * 32);
  CHECK(grouped.problem.size("kv_heads") == 2);
}

TEST_CASE("attention: errors") {
  CHECK_THAT(error_of("input x f32 [2, 8, 65]\nweight w f32 [65, 192]\ny = com.microsoft::Attention(x, w) "
                      "{num_heads=5}\noutput y"),
             Catch::Contains("do not divide"));
  CHECK_THAT(error_of("input x f32 [2, 8, 64]\nweight w f32 [65, 192]\ny = com.microsoft::Attention(x, w) "
                      "{num_heads=4}\noutput y"),
             Catch::Contains("64 features"));
  CHECK_THAT(error_of("input x f32 [2, 8, 64]\ny = Attention(x, x, x)\noutput y"), Catch::Contains("heads"));
}
