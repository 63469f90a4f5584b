// Kinds whose cost is that of moving their elements.

#include "network_from_text.h"

using namespace layersim;
using namespace layersim::tests;

TEST_CASE("activation: reads and writes each element once") {
  const Layer gelu = only_layer("input x f16 [4, 8]\ny = Gelu(x)\noutput y");
  CHECK(gelu.problem.kind->name == "activation");
  CHECK(gelu.problem.activation == Activation::gelu);
  CHECK(gelu.work.forward.bytes() == 2 * 2 * 32);
  CHECK(gelu.work.backward_data.bytes() == 3 * 2 * 32);
  CHECK(gelu.work.keeps_input);
  const Layer relu = only_layer("input x f32 [4, 8]\ny = Relu(x)\noutput y");
  CHECK(relu.work.keeps_output);
  CHECK_FALSE(relu.work.keeps_input);
  const Layer prelu = only_layer("input x f32 [4, 8]\nweight s f32 [8]\ny = PRelu(x, s)\noutput y");
  CHECK(prelu.params == 8);
  CHECK(prelu.work.backward_weight.bytes_written == 4 * 8);
  CHECK(only_layer("input x f32 [4, 8]\nweight b f32 [8]\ny = com.microsoft::BiasGelu(x, b)\noutput y")
            .params == 8);
}

TEST_CASE("elementwise: operands count at their own size") {
  const Layer sum = only_layer("input a f32 [4, 8]\ninput b f32 [8]\ny = Add(a, b)\noutput y");
  CHECK(sum.problem.kind->name == "elementwise");
  CHECK(sum.work.forward.bytes_read == 4 * 40);
  CHECK(sum.work.forward.bytes_written == 4 * 32);
  const Layer product = only_layer("input a f32 [4, 8]\ninput b f32 [4, 8]\ny = Mul(a, b)\noutput y");
  CHECK(product.work.keeps_input);
  CHECK(product.work.backward_data.flop == 64);
  CHECK(product.work.backward_data.bytes_read == 4 * 96);
  CHECK(product.work.backward_data.bytes_written == 4 * 64);
  // The gradient of a sum of equal shapes is passed on as it is.
  const Layer residual = only_layer("input a f32 [4, 8]\ninput b f32 [4, 8]\ny = Add(a, b)\noutput y");
  CHECK(residual.work.backward_data.bytes() == 0);
  const Layer learned = only_layer("input a f32 [4, 8]\nweight w f32 [8]\ny = Mul(a, w)\noutput y");
  CHECK(learned.params == 8);
  CHECK(learned.work.backward_weight.bytes_written == 4 * 8);
}

TEST_CASE("elementwise: types of input and output differ") {
  const Layer cast = only_layer("input a f32 [4, 8]\ny = Cast(a) {to=10}\noutput y");
  CHECK(cast.work.forward.bytes_read == 4 * 32);
  CHECK(cast.work.forward.bytes_written == 2 * 32);
  const Layer compare = only_layer("input a f32 [4, 8]\ninput b f32 [4, 8]\ny = Less(a, b)\noutput y");
  CHECK(compare.work.forward.bytes_written == 32);
  CHECK(compare.work.backward_data.bytes() == 0);
  CHECK(take_apart("input a f32 [4, 8]\ny = Cast(a) {to=1}\noutput y").layers.empty());
}

TEST_CASE("elementwise: dropout costs only in training") {
  const Layer dropout = only_layer("input x f32 [4, 8]\ny, mask = Dropout(x)\noutput y");
  CHECK(dropout.work.forward.bytes() == 0);
  CHECK(dropout.work.forward.kernels == 0);
  CHECK(dropout.work.backward_data.kernels == 2);
  CHECK(dropout.work.kept_elements == 8);  // one byte an element
}

TEST_CASE("softmax: rows and columns by opset") {
  const auto sizes = [](const std::string& opset, const std::string& attributes) {
    const Layer layer = only_layer("network n opset " + opset + "\ninput x f32 [2, 3, 4]\ny = Softmax(x) {" +
                                   attributes + "}\noutput y");
    return std::to_string(layer.problem.size("rows")) + "x" + std::to_string(layer.problem.size("cols"));
  };
  CHECK(sizes("13", "axis=1") == "8x3");
  CHECK(sizes("13", "axis=-1") == "6x4");
  CHECK(sizes("11", "axis=1") == "2x12");
  CHECK(sizes("11", "axis=2") == "6x4");
  const Layer layer = only_layer("input x f32 [2, 3, 4]\ny = LogSoftmax(x)\noutput y");
  CHECK(layer.work.forward.flop == 5 * 24);
  CHECK(layer.work.keeps_output);
}

TEST_CASE("softmax: the loss of a training graph") {
  const Network network = take_apart(R"(
input scores f32 [4, 10]
input labels i64 [4]
loss, logs = SoftmaxCrossEntropyLoss(scores, labels)
output loss)");
  REQUIRE(network.layers.size() == 1);
  CHECK(network.layers[0].problem.size("rows") == 4);
  CHECK(network.layers[0].problem.size("cols") == 10);
  CHECK(network.layers[0].output_shape.empty());
}

TEST_CASE("embedding: a lookup moves the rows that it takes, its gradient the whole table") {
  const Layer layer = only_layer(R"(
input ids i64 [2, 5]
weight table f32 [100, 8]
y = Gather(table, ids)
output y)");
  CHECK(layer.problem.kind->name == "embedding");
  CHECK(layer.output_shape == Shape{2, 5, 8});
  CHECK(layer.work.forward.macs == 0);
  CHECK(layer.work.forward.bytes_read == 10 * 8 * 4 + 10 * 8);
  CHECK(layer.work.forward.bytes_written == 10 * 8 * 4);
  CHECK(layer.work.backward_weight.bytes_written == 100 * 8 * 4);
  CHECK(layer.params == 800);
  CHECK(only_layer("input x f32 [9, 8]\ninput i i64 [5]\ny = Gather(x, i)\noutput y").problem.kind->name ==
        "data_movement");
  const Network fused = take_apart(R"(
input ids i32 [2, 5]
input segments i32 [2, 5]
weight words f32 [100, 8]
weight positions f32 [16, 8]
weight types f32 [2, 8]
weight g f32 [8]
weight b f32 [8]
y, mask = com.microsoft::EmbedLayerNormalization(ids, segments, words, positions, types, g, b)
output y)");
  CHECK(kinds(fused) == "embedding norm");
  CHECK(fused.params == 100 * 8 + 16 * 8 + 2 * 8 + 16);
  CHECK(fused.layers[1].output_shape == Shape{2, 5, 8});
}

TEST_CASE("concat: copies its operands") {
  const Layer layer =
      only_layer("input a f32 [2, 3]\ninput b f32 [2, 5]\ny = Concat(a, b) {axis=1}\noutput y");
  CHECK(layer.problem.kind->name == "concat");
  CHECK(layer.work.forward.bytes() == 2 * 4 * 16);
  CHECK(layer.problem.size("operands") == 2);
}

TEST_CASE("data_movement: what is read and written; views are free") {
  const auto moved = [](const std::string& call) {
    const Network network = take_apart("input x f32 [1, 4, 6]\n" + call + "\noutput y");
    if (network.layers.empty()) return std::string("free");
    return std::to_string(network.layers[0].problem.size("elements_read")) + " " +
           std::to_string(network.layers[0].problem.size("elements_written"));
  };
  CHECK(moved("y = Transpose(x) {perm=[0, 2, 1]}") == "24 24");
  CHECK(moved("y = Transpose(x) {perm=[1, 0, 2]}") == "free");
  CHECK(moved("constant p i64 [6] = {0, 0, 1, 0, 0, 1}\ny = Pad(x, p)") == "24 32");
  CHECK(moved("constant p i64 [6] = {0, 0, 0, 0, 0, 0}\ny = Pad(x, p)") == "free");
  CHECK(moved("constant s i64 [1] = {1}\nconstant e i64 [1] = {3}\nconstant a i64 [1] = {1}\ny = Slice(x, s, "
              "e, a)") == "12 12");
  CHECK(moved("constant s i64 [3] = {2, 4, 6}\ny = Expand(x, s)") == "24 48");
  CHECK(moved("constant s i64 [3] = {1, 4, 6}\ny = Expand(x, s)") == "free");
  CHECK(moved("y, z = Split(x) {axis=2}") == "24 24");
  CHECK(moved("constant s i64 [1] = {-1}\ny = Reshape(x, s)") == "free");
  CHECK(moved("y = Flatten(x)") == "free");
}

TEST_CASE("reduce: each result is made of a row") {
  const auto sizes = [](const std::string& call) {
    const Layer layer = only_layer("input x f32 [2, 3, 4]\n" + call + "\noutput y");
    CHECK(layer.problem.kind->name == "reduce");
    return std::to_string(layer.problem.size("rows")) + "x" + std::to_string(layer.problem.size("cols"));
  };
  CHECK(sizes("constant a i64 [1] = {1}\ny = ReduceSum(x, a)") == "8x3");
  CHECK(sizes("y = ReduceMean(x) {axes=[1, 2]}") == "2x12");
  CHECK(sizes("y = ArgMax(x) {axis=2}") == "6x4");
  CHECK(sizes("constant a i64 [] = {1}\ny = CumSum(x, a)") == "8x3");
  CHECK(sizes("constant k i64 [1] = {2}\ny, i = TopK(x, k)") == "6x4");
}

TEST_CASE("resize: sizes by scale, by size, by attribute") {
  const auto shape = [](const std::string& opset, const std::string& call) {
    const Layer layer =
        only_layer("network n opset " + opset + "\ninput x f32 [1, 2, 4, 6]\n" + call + "\noutput y");
    CHECK(layer.problem.kind->name == "resize");
    return to_string(layer.output_shape);
  };
  CHECK(shape("13", "constant s f32 [4] = {1.0, 1.0, 2.0, 1.5}\ny = Resize(x, _, s)") == "1x2x8x9");
  CHECK(shape("13", "constant s i64 [4] = {1, 2, 5, 5}\ny = Resize(x, _, _, s)") == "1x2x5x5");
  CHECK(shape("18", "constant s i64 [2] = {8, 8}\ny = Resize(x, _, _, s) {axes=[2, 3]}") == "1x2x8x8");
  CHECK(shape("18",
              "constant s i64 [2] = {8, 6}\ny = Resize(x, _, _, s) {axes=[2, 3], "
              "keep_aspect_ratio_policy=\"not_smaller\"}") == "1x2x8x12");
  CHECK(shape("10", "constant s f32 [4] = {1.0, 1.0, 2.0, 2.0}\ny = Resize(x, s)") == "1x2x8x12");
  CHECK(shape("9", "constant s f32 [4] = {1.0, 1.0, 2.0, 2.0}\ny = Upsample(x, s)") == "1x2x8x12");
  CHECK(shape("7", "y = Upsample(x) {scales=[1.0, 1.0, 2.0, 2.0]}") == "1x2x8x12");
  CHECK(shape("16", "input g f32 [1, 3, 5, 2]\ny = GridSample(x, g)") == "1x2x3x5");
  const Layer linear = only_layer(
      "input x f32 [1, 2, 4, 4]\nconstant s f32 [4] = {1.0, 1.0, 2.0, 2.0}\ny = Resize(x, _, s) "
      "{mode=\"linear\"}\noutput y");
  CHECK(linear.problem.size("taps") == 4);
  CHECK(linear.work.forward.flop == 2 * 4 * 128);
}

TEST_CASE("operators of the ONNX Runtime domain that move elements") {
  CHECK(
      only_layer("input x f32 [2, 5, 8]\nweight b f32 [8]\ny = com.microsoft::BiasSplitGelu(x, b)\noutput y")
          .output_shape == Shape{2, 5, 4});
  CHECK(only_layer("input a u8 [2, 8]\ninput b u8 [8]\nconstant s f32 [] = {0.5}\nconstant z u8 [] = {0}\n"
                   "y = com.microsoft::QLinearAdd(b, s, z, a, s, z, s, z)\noutput y")
            .output_shape == Shape{2, 8});
  const Network blocked = take_apart(R"(
input x f32 [1, 16, 8, 8]
weight w f32 [32, 16, 3, 3]
r = com.microsoft.nchwc::ReorderInput(x)
c = com.microsoft.nchwc::Conv(r, w) {activation="Relu"}
p = com.microsoft.nchwc::MaxPool(c) {kernel_shape=[2, 2], strides=[2, 2]}
y = com.microsoft.nchwc::ReorderOutput(p) {channels=30}
output y)");
  CHECK(kinds(blocked) == "data_movement conv:relu pool data_movement");
  CHECK(blocked.layers.back().output_shape == Shape{1, 30, 3, 3});
  const Layer table = only_layer(R"(
input ids i64 [2, 5]
weight t u4 [100, 64]
weight s f16 [100, 2]
y = com.microsoft::GatherBlockQuantized(t, ids, s) {block_size=32}
output y)");
  CHECK(table.problem.kind->name == "embedding");
  CHECK(table.params == 6400);
  CHECK(table.weight_bytes == 3200 + 400);
}
