#include <catch2/catch.hpp>

#include "sim/graph/size_expression.h"
#include "tests/graph/inferred.h"

using namespace layersim;
using namespace layersim::tests;

namespace {

ShapeBindings batch(std::int64_t size) { return {size, {}, {}}; }

std::string network(const std::string& inputs) { return "network t opset 17\n" + inputs + "\n"; }

}  // namespace

TEST_CASE("the batch option binds the axis that is the batch") {
  struct Case {
    std::string inputs;
    std::string types;  // of a, then b
  };
  for (const Case& test : {
           Case{"input a f32 [N, 3, 8, 8]\ninput b f32 [N, 4]", "f32 5x3x8x8, f32 5x4"},
           Case{"input a f32 [B, N, 3]\ninput b i64 [B]", ""},
           Case{"input a i64 [batch_size, 16]\ninput b f32 [2, batch_size, 7]", "i64 5x16, f32 2x5x7"},
           Case{"input a f32 [12, batch, 7]\ninput b f32 [batch, 7]", "f32 12x5x7, f32 5x7"},
           Case{"input a f32 [unk__1, 3]\ninput b f32 [unk__2, 4]", "f32 5x3, f32 5x4"},
           Case{"input a f32 [samples, 3]\ninput b f32 [4, samples]", "f32 5x3, f32 4x5"},
           Case{"input a f32 [1, 3, 8, 8]\ninput b f32 [1, 4]", "f32 5x3x8x8, f32 5x4"},
           Case{"input a f32 [2, 3, 8, 8]\ninput b f32 [1, 4]", "f32 5x3x8x8, f32 1x4"},
       }) {
    INFO(test.inputs);
    if (test.types.empty()) {
      CHECK_THAT(error_of(network(test.inputs), batch(5)),
                 Catch::Contains("'N' of input 'a' [B, N, 3]; give --dim N=SIZE"));
      continue;
    }
    const Inferred result = infer_text(network(test.inputs), batch(5));
    CHECK(result.type("a") + ", " + result.type("b") == test.types);
  }
}

TEST_CASE("a batch that the file fixes is replaced with a warning") {
  const std::string text = network("input a f32 [1, 3, 8, 8]\nb = Relu(a)");
  const Inferred result = infer_text(text, batch(64));
  CHECK(result.type("b") == "f32 64x3x8x8");
  REQUIRE(result.warnings.all().size() == 1);
  CHECK(result.warnings.all()[0] ==
        "the file fixes batch 1 of input 'a'; the batch that is asked for is applied");
  CHECK(infer_text(text).type("b") == "f32 1x3x8x8");
  CHECK(infer_text(text, batch(1)).warnings.all().empty());
}

TEST_CASE("the batch of inputs of a time-first recurrent network is axis 1") {
  const std::string text = network(
      "input x f32 [20, 1, 8]\ninput h f32 [1, 1, 16]\nweight w f32 [1, 64, 8]\nweight r f32 [1, 64, 16]\n"
      "y = LSTM(x, w, r, _, _, h) {hidden_size=16}");
  const Inferred result = infer_text(text, batch(4));
  CHECK(result.type("x") == "f32 20x4x8");
  CHECK(result.type("h") == "f32 1x4x16");
}

TEST_CASE("an open batch is 1, other open axes are errors that tell the way") {
  CHECK(infer_text(network("input a f32 [N, 3]")).type("a") == "f32 1x3");
  CHECK(error_of(network("input a f32 [N, 3, height, width]\ninput b i64 [N, seq]")) ==
        "use: open sizes: 'height' of input 'a' [N, 3, height, width], 'width' of input 'a' [N, 3, height, "
        "width], "
        "'seq' of input 'b' [N, seq]; give --dim height=SIZE, --dim seq=SIZE, --dim width=SIZE");
  // A length is no batch.
  CHECK_THAT(error_of(network("input a i64 [seq_len, 8]")), Catch::Contains("--dim seq_len=SIZE"));
}

TEST_CASE("dim and input options bind sizes") {
  const std::string text = network("input a f32 [N, 3, height, width]\ninput b f32 [N, height]");
  ShapeBindings bindings;
  bindings.dims = {{"height", 10}, {"width", 20}, {"N", 2}};
  CHECK(infer_text(text, bindings).type("a") == "f32 2x3x10x20");

  bindings = {};
  bindings.inputs = {{"a", {4, 3, 10, 20}}};
  const Inferred result = infer_text(text, bindings);
  CHECK(result.type("a") == "f32 4x3x10x20");
  CHECK(result.type("b") == "f32 4x10");

  bindings.inputs = {{"", {4, 7}}};
  CHECK(infer_text(network("input only f32 [N, 5]"), bindings).type("only") == "f32 4x7");
}

TEST_CASE("options that do not fit the network are named") {
  const std::string text = network("input a f32 [N, 3, h, h]\ninput b f32 [N, 4]");
  const auto error = [&](ShapeBindings bindings) { return error_of(text, bindings); };
  ShapeBindings fine;
  fine.dims = {{"h", 8}};
  CHECK(error(fine).empty());

  ShapeBindings bindings = fine;
  bindings.dims["height"] = 8;
  CHECK(error(bindings) == "use: --dim height=8: no such axis; symbolic axes: N, h");
  bindings = fine;
  bindings.inputs = {{"c", {1, 4}}};
  CHECK(error(bindings) == "use: --input c=1x4: no such input; inputs: a [N, 3, h, h], b [N, 4]");
  bindings.inputs = {{"", {1, 4}}};
  CHECK_THAT(error(bindings), Catch::Contains("needs a name"));
  bindings.inputs = {{"b", {1, 4, 4}}};
  CHECK(error(bindings) == "use: --input b=1x4x4: input 'b' is [N, 4]");
  bindings.inputs = {{"b", {2, 4}}};
  bindings.batch = 3;
  CHECK(error(bindings) == "use: --input b=2x4: contradicts --batch 3");
  bindings.inputs = {{"b", {1, 4}}};  // one sample: three of them
  CHECK_THAT(error(bindings), !Catch::Contains("contradicts"));
  bindings.inputs = {{"b", {2, 4}}};
  bindings.batch.reset();
  bindings.inputs = {{"b", {0, 4}}};
  CHECK(error(bindings) == "use: --input b=0x4: the batch should be at least 1");
  bindings = fine;
  bindings.dims["N"] = 2;
  bindings.batch = 3;
  CHECK_THAT(error(bindings), Catch::Contains("which is 2 by another option"));
  bindings = fine;
  bindings.inputs = {{"a", {2, 3, 9, 9}}};
  CHECK_THAT(error(bindings), Catch::Contains("which is 9 by another option"));
  bindings = fine;
  bindings.batch = 0;
  CHECK_THAT(error(bindings), Catch::StartsWith("use: --batch"));
  CHECK_THAT(error_of(network("input a i64 [seq]"), batch(3)), Catch::Contains("no input has a batch axis"));
  CHECK_THAT(error_of(network("input a i64 [4611686018427387904, 8]")), Catch::Contains("input 'a'"));
}

TEST_CASE("sizes that are spelt as calculations follow their symbols") {
  const auto size_of = [](std::string_view name) -> std::optional<std::int64_t> {
    return name == "n" ? std::optional<std::int64_t>(7) : std::nullopt;
  };
  CHECK(evaluate_size("n + 1", size_of) == 8);
  CHECK(evaluate_size("(n - 1)//2 + 1", size_of) == 4);
  CHECK(evaluate_size("2*n*n", size_of) == 98);
  for (const char* text :
       {"", "m + 1", "n +", "n n", "(n", "1 - n", "n // 0", "n*9223372036854775807", "floor(n)"}) {
    INFO(text);
    CHECK_FALSE(evaluate_size(text, size_of).has_value());
  }
  CHECK_FALSE(evaluate_size(std::string(100000, '('), size_of).has_value());

  GraphBuilder builder("decoder");
  builder.input("ids", DType::i64, {{kUnknownDim, "batch_size"}, {1, ""}});
  builder.input("mask", DType::i64, {{kUnknownDim, "batch_size"}, {kUnknownDim, "past + 1"}});
  builder.input("cache", DType::f32, {{kUnknownDim, "batch_size * 12"}, {kUnknownDim, "past"}, {64, ""}});
  ShapeBindings bindings = batch(2);
  bindings.dims = {{"past", 31}};
  const Inferred result = infer(builder.take(), bindings);
  CHECK(result.type("mask") == "i64 2x32");
  CHECK(result.type("cache") == "f32 24x31x64");
}
