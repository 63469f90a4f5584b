#include "network_from_text.h"

using namespace layersim;
using namespace layersim::tests;

TEST_CASE("recurrent: an LSTM in two directions with bias and peepholes") {
  const Network network = take_apart(R"(
input x f32 [10, 2, 8]
weight w f32 [2, 64, 8]
weight r f32 [2, 64, 16]
weight b f32 [2, 128]
weight p f32 [2, 48]
y, h, c = LSTM(x, w, r, b, _, _, _, p) {hidden_size=16, direction="bidirectional"}
output y
output h
output c)");
  REQUIRE(network.layers.size() == 1);
  const Layer& layer = network.layers.front();
  CHECK(layer.output_shape == Shape{10, 2, 2, 16});
  CHECK(*network.graph.value(network.graph.outputs.at(1)).tensor.shape == Shape{2, 2, 16});
  const double macs = 10.0 * 2 * 2 * 4 * 16 * (8 + 16);
  CHECK(layer.work.forward.macs == macs);
  CHECK(layer.work.backward_data.macs == macs);
  CHECK(layer.work.backward_weight.macs == macs);
  const double weights = 2 * 64 * (8 + 16) + 2 * 128 + 2 * 48;
  CHECK(layer.work.weight_elements == weights);
  CHECK(layer.params == weights);
  CHECK(layer.work.kept_elements == 10 * 2 * 2 * (64 + 16));
  CHECK(layer.work.forward.kernels == 2 * (1 + 2 * 10));
}

TEST_CASE("recurrent: gates of GRU and RNN, batch-first layout, few outputs") {
  const Network gru = take_apart(R"(
input x f32 [2, 10, 8]
weight w f32 [1, 48, 8]
weight r f32 [1, 48, 16]
_, h = GRU(x, w, r) {layout=1, linear_before_reset=1}
output h)");
  REQUIRE(gru.layers.size() == 1);
  CHECK(gru.layers[0].work.forward.macs == 10.0 * 2 * 3 * 16 * 24);
  CHECK(*gru.graph.value(gru.graph.outputs.at(0)).tensor.shape == Shape{2, 1, 16});
  const Layer rnn = only_layer(R"(
input x f32 [10, 2, 8]
weight w f32 [1, 16, 8]
weight r f32 [1, 16, 16]
y = RNN(x, w, r) {hidden_size=16, direction="reverse"}
output y)");
  CHECK(rnn.work.forward.macs == 10.0 * 2 * 16 * 24);
  CHECK(rnn.output_shape == Shape{10, 1, 2, 16});
}

TEST_CASE("recurrent: weights that do not fit are errors") {
  const auto error = [](const std::string& w, const std::string& attributes) {
    return error_of("input x f32 [10, 2, 8]\nweight w f32 [" + w +
                    "]\nweight r f32 [1, 64, 16]\ny = LSTM(x, w, r) {" + attributes + "}\noutput y");
  };
  CHECK_THAT(error("1, 64, 9", "hidden_size=16"), Catch::Contains("expects 9"));
  CHECK_THAT(error("1, 48, 8", "hidden_size=16"), Catch::Contains("64 rows"));
  CHECK_THAT(error("1, 64, 8", "hidden_size=16, direction=\"bidirectional\""),
             Catch::Contains("2 direction"));
  CHECK_THAT(error("1, 64, 8", "hidden_size=16, direction=\"sideways\""), Catch::Contains("sideways"));
}
