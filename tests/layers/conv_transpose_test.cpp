#include "network_from_text.h"

using namespace layersim;
using namespace layersim::tests;

namespace {
Layer transposed(const std::string& attributes) {
  return only_layer("input x f32 [2, 6, 5, 5]\nweight w f32 [6, 4, 3, 3]\ny = ConvTranspose(x, w) {" +
                    attributes + "}\noutput y");
}
}  // namespace

TEST_CASE("conv_transpose: MACs follow the input, not the output") {
  const Layer layer = transposed("strides=[2, 2], pads=[1, 1, 1, 1], output_padding=[1, 1]");
  CHECK(layer.output_shape == Shape{2, 4, 10, 10});  // 2 (5 - 1) + 3 - 2 + 1
  const double macs = 2.0 * 6 * 25 * 4 * 9;
  CHECK(layer.work.forward.macs == macs);
  CHECK(layer.work.backward_data.macs == macs);
  CHECK(layer.work.backward_weight.macs == macs);
  CHECK(layer.work.forward.bytes_read == 4 * (2 * 6 * 25 + 6 * 4 * 9));
  CHECK(layer.work.forward.bytes_written == 4 * 2 * 4 * 100);
  CHECK(layer.params == 6 * 4 * 9);
}

TEST_CASE("conv_transpose: groups multiply the output channels and divide the work") {
  const Layer layer = transposed("group=3");
  CHECK(layer.output_shape == Shape{2, 12, 7, 7});
  CHECK(layer.work.forward.macs == 2.0 * 6 * 25 * 4 * 9);
}

TEST_CASE("conv_transpose: output_shape and SAME choose the padding") {
  const Layer shaped = transposed("strides=[2, 2], output_shape=[10, 9]");
  CHECK(shaped.output_shape == Shape{2, 4, 10, 9});
  // 2 (5 - 1) + 3 = 11 without padding: 1 and 2 too many
  CHECK(shaped.problem.size("pad_begin_h") + shaped.problem.size("pad_end_h") == 1);
  CHECK(shaped.problem.size("pad_begin_w") + shaped.problem.size("pad_end_w") == 2);
  CHECK(transposed("strides=[2, 3], auto_pad=\"SAME_UPPER\"").output_shape == Shape{2, 4, 10, 15});
  // Larger than what the input gives: the rest is padding of the output.
  const Layer larger = transposed("strides=[2, 2], output_shape=[12, 12]");
  CHECK(larger.output_shape == Shape{2, 4, 12, 12});
  CHECK(larger.problem.size("output_padding_h") == 1);
}

TEST_CASE("conv_transpose: the sizes of a problem agree with each other") {
  for (const char* attributes :
       {"strides=[2, 2], output_shape=[10, 9]", "auto_pad=\"SAME_LOWER\", strides=[3, 2]",
        "strides=[2, 2], output_shape=[12, 12]", "dilations=[2, 2], pads=[1, 0, 0, 1]"}) {
    INFO(attributes);
    Problem problem = transposed(attributes).problem;
    const std::int64_t out_h = problem.size("out_h");
    const std::int64_t out_w = problem.size("out_w");
    problem.kind->derive(problem);
    CHECK(problem.size("out_h") == out_h);
    CHECK(problem.size("out_w") == out_w);
  }
}

TEST_CASE("conv_transpose: contradictions are errors") {
  const auto error = [](const std::string& attributes, const std::string& weight = "6, 4, 3, 3") {
    return error_of("input x f32 [2, 6, 5, 5]\nweight w f32 [" + weight + "]\ny = ConvTranspose(x, w) {" +
                    attributes + "}\noutput y");
  };
  CHECK_THAT(error("group=1", "5, 4, 3, 3"), Catch::Contains("expects 5"));
  CHECK_THAT(error("group=4"), Catch::Contains("does not divide"));
  CHECK_THAT(error("pads=[9, 9, 9, 9]"), Catch::Contains("larger than the output"));
  CHECK_THAT(error("output_shape=[-5, 3]"), Catch::Contains("output_shape"));
}
