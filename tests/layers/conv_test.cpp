#include "network_from_text.h"

using namespace layersim;
using namespace layersim::tests;

TEST_CASE("conv: MACs, weights and bytes of a forward and a backward pass") {
  const Layer layer = only_layer(R"(
input x f32 [2, 3, 8, 10]
weight w f32 [4, 3, 3, 5]
weight b f32 [4]
y = Conv(x, w, b) {strides=[2, 1], pads=[1, 2, 1, 2]}
output y)");
  // out: (8 + 2 - 3) / 2 + 1 = 4 by (10 + 4 - 5) + 1 = 10
  CHECK(layer.output_shape == Shape{2, 4, 4, 10});
  const double macs = 2.0 * 4 * 4 * 10 * 3 * 3 * 5;
  const double in = 2 * 3 * 8 * 10;
  const double out = 2 * 4 * 4 * 10;
  const double weights = 4 * 3 * 3 * 5;
  const LayerWork& work = layer.work;
  CHECK(work.forward.macs == macs);
  CHECK(work.forward.flop == 2 * macs + out);
  CHECK(work.forward.bytes_read == 4 * (in + weights + 4));
  CHECK(work.forward.bytes_written == 4 * out);
  CHECK(work.backward_data.macs == macs);
  CHECK(work.backward_data.bytes_read == 4 * (out + weights));
  CHECK(work.backward_data.bytes_written == 4 * in);
  CHECK(work.backward_weight.macs == macs);
  CHECK(work.backward_weight.bytes_read == 4 * (in + out));
  CHECK(work.backward_weight.bytes_written == 4 * (weights + 4));
  CHECK(work.weight_elements == weights + 4);
  CHECK(work.keeps_input);
  CHECK_FALSE(work.keeps_output);
  CHECK(layer.params == weights + 4);
  CHECK(layer.weight_bytes == 4 * (weights + 4));
  CHECK_FALSE(layer.needs_input_gradient);
  CHECK(layer.needs_weight_gradient);
  CHECK(layer.problem.size("kernel_h") == 3);
  CHECK(layer.problem.size("kernel_w") == 5);
  CHECK(layer.problem.size("pad_end_w") == 2);
  CHECK(layer.problem.size("out_h") == 4);
  CHECK(layer.problem.size("out_d") == 1);
}

TEST_CASE("conv: the kind derives the output size as the operator does") {
  Problem problem = make_problem(*find_layer_kind("conv"), DType::f32,
                                 {{"in_channels", 6},
                                  {"out_channels", 4},
                                  {"groups", 2},
                                  {"in_h", 9},
                                  {"in_w", 9},
                                  {"kernel_h", 3},
                                  {"kernel_w", 3},
                                  {"stride_h", 2},
                                  {"stride_w", 2},
                                  {"dilation_h", 2},
                                  {"pad_begin_h", 1},
                                  {"pad_end_h", 1}});
  problem.kind->derive(problem);
  CHECK(problem.size("out_h") == (9 + 2 - 5) / 2 + 1);
  CHECK(problem.size("out_w") == (9 - 3) / 2 + 1);
  problem.sizes.at(3) = 4;  // groups
  CHECK_THROWS_AS(problem.kind->derive(problem), Error);
}

TEST_CASE("conv: padding by name, dilation, groups, one to three axes") {
  const auto shape = [](const std::string& input, const std::string& weight, const std::string& attributes) {
    const Layer layer = only_layer("input x f32 [" + input + "]\nweight w f32 [" + weight +
                                   "]\ny = Conv(x, w) {" + attributes + "}\noutput y");
    return to_string(layer.output_shape) + " " + std::to_string(static_cast<long>(layer.work.forward.macs));
  };
  CHECK(shape("1, 1, 7", "1, 1, 2", "auto_pad=\"SAME_UPPER\", strides=[2]") == "1x1x4 8");
  CHECK(shape("1, 1, 7, 7", "1, 1, 3, 3", "auto_pad=\"SAME_LOWER\", dilations=[2, 2]") == "1x1x7x7 441");
  CHECK(shape("1, 1, 7, 7", "1, 1, 3, 3", "auto_pad=\"VALID\", dilations=[2, 3]") == "1x1x3x1 27");
  CHECK(shape("1, 1, 7, 7", "1, 1, 3, 3", "auto_pad=\"NOTSET\", kernel_shape=[3, 3]") == "1x1x5x5 225");
  CHECK(shape("2, 8, 5, 5", "8, 1, 3, 3", "group=8, pads=[1, 1, 1, 1]") == "2x8x5x5 3600");
  CHECK(shape("2, 8, 5, 5", "16, 1, 3, 3", "group=8") == "2x16x3x3 2592");
  CHECK(shape("1, 2, 4, 5, 6", "3, 2, 2, 2, 2", "strides=[2, 1, 1]") == "1x3x2x4x5 1920");
}

TEST_CASE("conv: SAME padding puts the surplus where the name says") {
  const auto pads = [](const std::string& auto_pad) {
    const Layer layer =
        only_layer("input x f32 [1, 1, 6]\nweight w f32 [1, 1, 4]\ny = Conv(x, w) {auto_pad=\"" + auto_pad +
                   "\"}\noutput y");
    return std::to_string(layer.problem.size("pad_begin_w")) +
           std::to_string(layer.problem.size("pad_end_w"));
  };
  CHECK(pads("SAME_UPPER") == "12");
  CHECK(pads("SAME_LOWER") == "21");
}

TEST_CASE("conv: a channel mismatch names both counts and suspects the layout") {
  const std::string error = error_of(R"(
input x f32 [1, 3, 8, 8]
weight w f32 [4, 8, 3, 3]
y = Conv(x, w) name "first"
output y)");
  CHECK_THAT(error, Catch::Contains("'first'"));
  CHECK_THAT(error, Catch::Contains("3 channels (axis 1"));
  CHECK_THAT(error, Catch::Contains("expects 8"));
  CHECK_THAT(error, Catch::Contains("NHWC"));
}

TEST_CASE("conv: contradictions are errors") {
  const auto error = [](const std::string& input, const std::string& weight, const std::string& attributes) {
    return error_of("input x f32 [" + input + "]\nweight w f32 [" + weight + "]\ny = Conv(x, w) {" +
                    attributes + "}\noutput y");
  };
  CHECK_THAT(error("1, 4, 8, 8", "6, 1, 3, 3", "group=4"), Catch::Contains("does not divide"));
  CHECK_THAT(error("1, 4, 8, 8", "6, 4, 3, 3", "group=0"), Catch::Contains("group is 0"));
  CHECK_THAT(error("1, 4, 8", "6, 4, 3, 3", "group=1"), Catch::Contains("rank"));
  CHECK_THAT(error("1, 4, 2, 2", "6, 4, 3, 3", "group=1"), Catch::Contains("larger than the padded input"));
  CHECK_THAT(error("1, 4, 8, 8", "6, 4, 3, 3", "kernel_shape=[5, 5]"), Catch::Contains("kernel_shape"));
  CHECK_THAT(error("1, 4, 8, 8", "6, 4, 3, 3", "strides=[0, 1]"), Catch::Contains("strides"));
  CHECK_THAT(error("1, 4, 8, 8", "6, 4, 3, 3", "pads=[1, 1]"), Catch::Contains("expected 4"));
  CHECK_THAT(error("1, 4, 8, 8", "6, 4, 3, 3", "auto_pad=\"SOME\""), Catch::Contains("SOME"));
  CHECK_THAT(error("1, 1, 8, 8", "1, 1, 3, 3", "dilations=[4611686018427387904, 1]"),
             Catch::Contains("dilations"));
  CHECK_THAT(error("1, 9007199254740991, 1, 1", "1, 4503599627370496, 1, 1", "group=4503599627370496"),
             Catch::Contains("channels"));
}

TEST_CASE("conv: integer, fused and channels-last forms") {
  const Layer quantized = only_layer(R"(
input x u8 [1, 3, 8, 8]
weight w i8 [4, 3, 3, 3]
weight bias i32 [4]
constant s f32 [1] = {0.5}
constant z u8 [1] = {0}
y = QLinearConv(x, s, z, w, s, z, s, z, bias)
output y)");
  CHECK(quantized.work.forward.macs == 4 * 36 * 27);
  CHECK(quantized.work.forward.bytes_written == 4 * 36);
  CHECK(quantized.params == 108 + 4);
  CHECK(quantized.problem.size("bias") == 1);

  const Layer integer = only_layer(R"(
input x u8 [1, 3, 8, 8]
weight w i8 [4, 3, 3, 3]
y = ConvInteger(x, w)
output y)");
  CHECK(integer.work.forward.macs == 4 * 36 * 27);
  CHECK(integer.weight_bytes == 108);

  const Layer fused = only_layer(R"(
input x f32 [1, 3, 8, 8]
weight w f32 [4, 3, 3, 3]
y = com.microsoft::FusedConv(x, w) {activation="Relu"}
output y)");
  CHECK(fused.problem.activation == Activation::relu);
  CHECK(fused.work.keeps_output);

  const Layer nhwc = only_layer(R"(
input x f16 [1, 8, 8, 3]
weight w f16 [4, 3, 3, 3]
y = com.microsoft::NhwcFusedConv(x, w) {pads=[1, 1, 1, 1]}
output y)");
  CHECK(nhwc.output_shape == Shape{1, 8, 8, 4});
  CHECK(nhwc.work.forward.bytes_written == 2 * 64 * 4);
}
