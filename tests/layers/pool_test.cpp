#include "network_from_text.h"

using namespace layersim;
using namespace layersim::tests;

namespace {
Layer pooled(const std::string& op, const std::string& input, const std::string& attributes) {
  return only_layer("input x f32 [" + input + "]\ny = " + op + "(x) {" + attributes + "}\noutput y");
}
}  // namespace

TEST_CASE("pool: work of a maximum and an average") {
  const Layer max = pooled("MaxPool", "2, 3, 8, 8", "kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]");
  CHECK(max.output_shape == Shape{2, 3, 4, 4});
  CHECK(max.work.forward.macs == 0);
  CHECK(max.work.forward.flop == 2 * 3 * 16 * 9);
  CHECK(max.work.forward.bytes_read == 4 * 2 * 3 * 64);
  CHECK(max.work.forward.bytes_written == 4 * 2 * 3 * 16);
  CHECK(max.work.backward_data.bytes_read == 4 * 2 * 2 * 3 * 16);
  CHECK(max.work.backward_data.bytes_written == 4 * 2 * 3 * 64);
  CHECK(max.work.kept_elements == 2 * 2 * 3 * 16);  // indices of 64 bits

  const Layer average = pooled("AveragePool", "2, 3, 8, 8", "kernel_shape=[2, 2], strides=[2, 2]");
  CHECK(average.work.backward_data.bytes_read == 4 * 2 * 3 * 16);
  CHECK(average.work.kept_elements == 0);
  CHECK_FALSE(average.work.keeps_input);
}

TEST_CASE("pool: ceil_mode counts a window only when it starts inside") {
  // 6 / 2 rounds up to 4 windows, the last starts at 6 in the padding.
  CHECK(
      pooled("MaxPool", "1, 1, 6", "kernel_shape=[2], strides=[2], pads=[0, 1], ceil_mode=1").output_shape ==
      Shape{1, 1, 3});
  CHECK(pooled("MaxPool", "1, 1, 7", "kernel_shape=[2], strides=[2], ceil_mode=1").output_shape ==
        Shape{1, 1, 4});
  CHECK(pooled("MaxPool", "1, 1, 7", "kernel_shape=[2], strides=[2]").output_shape == Shape{1, 1, 3});
  CHECK(pooled("AveragePool", "1, 1, 13, 13", "kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1")
            .output_shape == Shape{1, 1, 6, 6});
}

TEST_CASE("pool: the sizes of a problem agree with each other under ceil_mode") {
  for (const char* attributes : {"kernel_shape=[2], strides=[2], pads=[0, 1], ceil_mode=1",
                                 "kernel_shape=[2], strides=[2], ceil_mode=1",
                                 "kernel_shape=[3], strides=[2], pads=[1, 1], ceil_mode=1",
                                 "kernel_shape=[2], strides=[3], ceil_mode=1"}) {
    for (const char* input : {"1, 1, 6", "1, 1, 7", "1, 1, 8"}) {
      INFO(attributes << " of " << input);
      Problem problem = pooled("MaxPool", input, attributes).problem;
      const std::int64_t out = problem.size("out_w");
      problem.kind->derive(problem);
      CHECK(problem.size("out_w") == out);
    }
  }
}

TEST_CASE("pool: dilation, named padding, one to three axes, global") {
  CHECK(pooled("MaxPool", "1, 2, 9", "kernel_shape=[3], dilations=[3]").output_shape == Shape{1, 2, 3});
  CHECK(pooled("MaxPool", "1, 2, 9, 9", "kernel_shape=[2, 2], strides=[2, 2], auto_pad=\"SAME_UPPER\"")
            .output_shape == Shape{1, 2, 5, 5});
  CHECK(pooled("LpPool", "1, 2, 4, 4, 4", "kernel_shape=[2, 2, 2]").output_shape == Shape{1, 2, 3, 3, 3});
  const Layer global = only_layer("input x f32 [2, 5, 7, 7]\ny = GlobalAveragePool(x)\noutput y");
  CHECK(global.output_shape == Shape{2, 5, 1, 1});
  CHECK(global.work.forward.flop == 2 * 5 * 49);
  const Layer last = only_layer(
      "input x u8 [2, 7, 7, 5]\ny = com.microsoft::QLinearGlobalAveragePool(x) {channels_last=1}\noutput y");
  CHECK(last.output_shape == Shape{2, 1, 1, 5});
  CHECK(last.problem.size("channels") == 5);
}

TEST_CASE("pool: the second output of a maximum is the index") {
  const Network network = take_apart(R"(
input x f32 [1, 2, 4, 4]
y, i = MaxPool(x) {kernel_shape=[2, 2]}
output y
output i)");
  CHECK(network.graph.value(network.graph.outputs.at(1)).tensor.dtype == DType::i64);
  CHECK(*network.graph.value(network.graph.outputs.at(1)).tensor.shape == Shape{1, 2, 3, 3});
}

TEST_CASE("pool: errors") {
  CHECK_THAT(error_of("input x f32 [1, 2, 4, 4]\ny = MaxPool(x)\noutput y"), Catch::Contains("kernel_shape"));
  CHECK_THAT(error_of("input x f32 [1, 2, 4, 4]\ny = MaxPool(x) {kernel_shape=[5, 5]}\noutput y"),
             Catch::Contains("larger than the padded input"));
  CHECK_THAT(error_of("input x f32 [1, 2]\ny = GlobalAveragePool(x)\noutput y"),
             Catch::Contains("at least 3 axes"));
}
