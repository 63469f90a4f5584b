// Files that hold the batch of their export as a number.

#include <catch2/catch.hpp>

#include "tests/graph/inferred.h"

using namespace layersim;
using namespace layersim::tests;

namespace {

ShapeBindings batch(std::int64_t size) { return {size, {}, {}}; }

}  // namespace

TEST_CASE("a reshape target with a fixed batch follows an open batch") {
  const std::string text =
      "network t opset 17\ninput x f32 [N, 64]\nconstant s i64 [2] = {1, 64}\nr = Reshape(x, s) name "
      "\"rs\"\ny = Relu(r)\noutput y\n";
  CHECK(infer_text(text).type("y") == "f32 1x64");
  CHECK(infer_text(text).warnings.all().empty());
  const Inferred result = infer_text(text, batch(8));
  CHECK(result.type("y") == "f32 8x64");
  CHECK(result.all_warnings() ==
        "the file has batch 1 written into 1 node (node 'rs' (Reshape)); rescaled to batch 8\n");
}

TEST_CASE("a reshape target that contradicts its input at any batch is an error") {
  const std::string text =
      "network t opset 17\ninput x f32 [N, 64]\nconstant s i64 [2] = {1, 65}\ny = Reshape(x, s) name "
      "\"rs\"\noutput y\n";
  CHECK_THAT(error_of(text, batch(8)),
             Catch::StartsWith("input: node 'rs' (Reshape): cannot reshape 8x64 to 1x65"));
}

TEST_CASE("the rescaled axis is the one that carries the batch") {
  struct Case {
    std::string input;
    std::string target;  // at export
    std::string at_batch_4;
  };
  for (const Case& test : {
           Case{"[1, 196, 768]", "1, 196, 12, 64", "4x196x12x64"},
           Case{"[1, 196, 768]", "1, -1, 768", "4x196x768"},
           Case{"[1, 196, 768]", "196, 768", "784x768"},
           Case{"[1, 12, 196, 64]", "12, 196, 64", "48x196x64"},
           Case{"[1, 56, 56, 96]", "1, 8, 7, 8, 7, 96", "4x8x7x8x7x96"},
           Case{"[1, 8, 8, 7, 7, 96]", "64, 49, 96", "256x49x96"},
           Case{"[1, 784]", "-1, 1, 28, 28", "4x1x28x28"},
           Case{"[1, 784]", "1, 1, 28, 28", "4x1x28x28"},
           Case{"[1, 8, 4]", "32", "128"},
           Case{"[2, 196, 768]", "2, 196, 12, 64", "4x196x12x64"},
           Case{"[2, 12, 196, 64]", "24, 196, 64", "48x196x64"},
           Case{"[2, 196, 768]", "392, 768", "784x768"},
       }) {
    INFO(test.input << " to " << test.target);
    const auto rank = std::count(test.target.begin(), test.target.end(), ',') + 1;
    const Inferred result =
        infer_text("network t opset 17\ninput x f32 " + test.input + "\nconstant s i64 [" +
                       std::to_string(rank) + "] = {" + test.target + "}\ny = Reshape(x, s)\noutput y\n",
                   batch(4));
    CHECK(result.type("y") == "f32 " + test.at_batch_4);
  }
}

// Attention with the sequence first, heads folded into the batch, and everything flattened in between, as
// exporters write it for a batch of `n`.
TEST_CASE("a time-first attention block with a fixed batch follows another batch") {
  for (const int n : {1, 2}) {
    const auto times = [n](int size) { return std::to_string(size * n); };
    const std::string text = "network t opset 17\ninput x f32 [" + times(1) +
                             ", 197, 768]\n"
                             "weight cls f32 [" +
                             times(1) +
                             ", 1, 768]\nweight q f32 [768, 768]\n"
                             "t = Transpose(x) {perm=[1, 0, 2]}\n"
                             "constant s1 i64 [3] = {197, " +
                             times(12) +
                             ", 64}\n"
                             "h = Reshape(t, s1)\nht = Transpose(h) {perm=[1, 0, 2]}\n"
                             "back = Transpose(ht) {perm=[1, 0, 2]}\n"
                             "constant s2 i64 [2] = {" +
                             times(197) +
                             ", 768}\n"
                             "flat = Reshape(back, s2)\nact = Relu(flat)\n"
                             "constant s3 i64 [3] = {197, " +
                             times(1) +
                             ", 768}\n"
                             "seq = Reshape(act, s3)\nbs = Transpose(seq) {perm=[1, 0, 2]}\n"
                             "all = Concat(cls, bs) {axis=1}\noutput all\n";
    INFO(text);
    const Inferred result = infer_text(text, batch(8));
    CHECK(result.type("h") == "f32 197x96x64");
    CHECK(result.type("ht") == "f32 96x197x64");
    CHECK(result.type("flat") == "f32 1576x768");
    CHECK(result.type("seq") == "f32 197x8x768");
    CHECK(result.type("all") == "f32 8x198x768");
    CHECK_THAT(result.all_warnings(),
               Catch::Contains("written into 4 nodes (first: node 'h' (Reshape)); rescaled to batch 8"));
    CHECK(result.warnings.all().size() == 2);
    CHECK(infer_text(text).type("all") == "f32 " + std::to_string(n) + "x198x768");
  }
}

TEST_CASE("numbers that are computed from the batch are left alone") {
  const std::string text =
      "network t opset 17\ninput x f32 [2, 6]\nconstant zero i64 [1] = {0}\nconstant rest i64 [2] = {2, 3}\n"
      "s = Shape(x)\nn = Gather(s, zero)\nt = Concat(n, rest) {axis=0}\ny = Reshape(x, t)\noutput y\n";
  const Inferred result = infer_text(text, batch(5));
  CHECK(result.type("y") == "f32 5x2x3");
  CHECK(result.warnings.all().size() == 1);
}

TEST_CASE("expansions and slices of the exported batch follow") {
  const std::string text =
      "network t opset 17\ninput m f32 [2, 1, 1, 9]\nconstant s i64 [4] = {2, 1, 9, 9}\ne = Expand(m, s)\n"
      "constant b i64 [1] = {0}\nconstant n i64 [1] = {2}\ny = Slice(e, b, n, b)\noutput y\n";
  CHECK(infer_text(text, batch(6)).type("y") == "f32 6x1x9x9");
}

TEST_CASE("value_info of an operator without a rule follows the batch") {
  const std::string text =
      "network t opset 17\ninput x f32 [1, 4]\nm = com.acme::MyOp(x)\ninfo m f32 [1, 10]\ny = "
      "Relu(m)\noutput y\n";
  CHECK(infer_text(text, batch(3)).type("y") == "f32 3x10");
}
