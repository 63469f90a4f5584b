#include "network_from_text.h"

using namespace layersim;
using namespace layersim::tests;

TEST_CASE("norm: a batch norm has a row for each channel; mean and variance are not learned") {
  const Layer layer = only_layer(R"(
input x f32 [4, 8, 5, 5]
weight scale f32 [8]
weight shift f32 [8]
weight mean f32 [8]
weight var f32 [8]
y = BatchNormalization(x, scale, shift, mean, var)
output y)");
  CHECK(layer.problem.size("rows") == 8);
  CHECK(layer.problem.size("cols") == 100);
  CHECK(layer.params == 16);
  CHECK(layer.weight_bytes == 4 * 32);
  CHECK(layer.work.forward.macs == 0);
  CHECK(layer.work.forward.bytes_read == 4 * (800 + 32));
  CHECK(layer.work.forward.bytes_written == 4 * 800);
  CHECK(layer.work.backward_data.bytes_read == 4 * (1600 + 16));
  CHECK(layer.work.backward_weight.bytes_written == 4 * 16);
  CHECK(layer.work.kept_elements == 16);
}

TEST_CASE("norm: outputs of a batch norm in training mode") {
  const Network network = take_apart(R"(
input x f32 [4, 8, 5, 5]
weight s f32 [8]
y, m, v = BatchNormalization(x, s, s, s, s) {training_mode=1}
output y
output m)");
  CHECK(*network.graph.value(network.graph.outputs.at(1)).tensor.shape == Shape{8});
}

TEST_CASE("norm: rows and columns of each function") {
  const auto sizes = [](const std::string& call) {
    const Layer layer =
        only_layer("input x f32 [2, 6, 4, 4]\nweight c f32 [6]\nweight g f32 [3]\nweight l f32 [4, 4]\n" +
                   call + "\noutput y");
    CHECK(layer.problem.kind->name == "norm");
    return std::to_string(layer.problem.size("rows")) + "x" + std::to_string(layer.problem.size("cols")) +
           " " + std::to_string(static_cast<int>(layer.params));
  };
  CHECK(sizes("y = InstanceNormalization(x, c, c)") == "12x16 6");
  CHECK(sizes("y, m = LayerNormalization(x, l) {axis=2}") == "12x16 16");
  CHECK(sizes("y = RMSNormalization(x, l) {axis=-2}") == "12x16 16");
  CHECK(sizes("y = GroupNormalization(x, g, g) {num_groups=3}") == "6x32 3");
  CHECK(sizes("y = GroupNormalization(x, c, c) {num_groups=3}") == "6x32 6");
  CHECK(sizes("y = LpNormalization(x) {axis=1}") == "32x6 0");
  CHECK(sizes("y = MeanVarianceNormalization(x)") == "6x32 0");
  CHECK(sizes("y = LRN(x) {size=5}") == "32x6 0");
}

TEST_CASE("norm: forms of the ONNX Runtime domain add the residual") {
  const Network network = take_apart(R"(
input x f16 [2, 3, 8]
input skip f16 [2, 3, 8]
weight g f16 [8]
weight b f16 [8]
weight bias f16 [8]
y, m, v, sum = com.microsoft::SkipLayerNormalization(x, skip, g, b, bias)
output y
output sum)");
  REQUIRE(network.layers.size() == 1);
  const Layer& layer = network.layers.front();
  CHECK(layer.problem.size("residual") == 1);
  CHECK(layer.params == 24);
  CHECK(layer.work.forward.bytes_read == 2 * (2 * 48 + 16));
  CHECK(*network.graph.value(network.graph.outputs.at(1)).tensor.shape == Shape{2, 3, 8});
  CHECK(only_layer(R"(
input x f16 [2, 3, 8]
weight g f16 [8]
y = com.microsoft::SkipSimplifiedLayerNormalization(x, x, g)
output y)")
            .params == 8);
  const Layer group = only_layer(R"(
input x f32 [2, 4, 4, 6]
weight c f32 [6]
y = com.microsoft::GroupNorm(x, c, c) {groups=3}
output y)");
  CHECK(group.problem.size("rows") == 6);
  CHECK(group.problem.size("channels") == 6);
}

TEST_CASE("norm: errors") {
  CHECK_THAT(
      error_of("input x f32 [4, 8, 5, 5]\nweight s f32 [7]\ny = BatchNormalization(x, s, s, s, s)\noutput y"),
      Catch::Contains("8 channels") && Catch::Contains("7"));
  CHECK_THAT(
      error_of(
          "input x f32 [4, 8]\nweight s f32 [8]\ny = GroupNormalization(x, s, s) {num_groups=3}\noutput y"),
      Catch::Contains("do not divide"));
  CHECK_THAT(
      error_of("input x f32 [4, 8]\nweight s f32 [8]\ny = LayerNormalization(x, s) {axis=5}\noutput y"),
      Catch::Contains("axis 5"));
}
