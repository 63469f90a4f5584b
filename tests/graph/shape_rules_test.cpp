#include <catch2/catch.hpp>

#include "layers/layer_kind.h"
#include "sim/graph/shape_rule.h"
#include "tests/graph/inferred.h"

using namespace layersim;
using namespace layersim::tests;

namespace {

// One node over declared tensors: what it should give for `y` (and, where it is followed, its contents).
struct Row {
  std::string network;
  std::string type;
  std::string ints = "*";  // "*": not looked at
};

void check(const std::vector<Row>& rows, int opset = 17) {
  for (const Row& row : rows) {
    INFO(row.network);
    const Inferred result =
        infer_text("network t opset " + std::to_string(opset) + "\n" + row.network + "\noutput y\n");
    CHECK(result.type("y") == row.type);
    if (row.ints != "*") CHECK(result.ints("y") == row.ints);
  }
}

// Each network is wrong: the message should name the node and hold the text.
void check_errors(const std::vector<std::pair<std::string, std::string>>& rows) {
  for (const auto& [network, text] : rows) {
    INFO(network);
    const std::string error = error_of("network t opset 17\n" + network + "\noutput y\n");
    CHECK_THAT(error, Catch::StartsWith("input: node 'y' ("));
    CHECK_THAT(error, Catch::Contains(text));
  }
}

}  // namespace

TEST_CASE("operators that make tensors") {
  check({
      {"y = Constant() {value_ints=[1, 2, 3]}", "i64 3", "1 2 3"},
      {"y = Constant() {value_int=7}", "i64 scalar", "7"},
      {"y = Constant() {value_floats=[1.5, 2.0]}", "f32 2"},
      {"constant s i64 [2] = {2, 3}\ny = ConstantOfShape(s)", "f32 2x3"},
      {"input x f32 [2, 3]\ns = Shape(x)\ny = ConstantOfShape(s)", "f32 2x3"},
      {"input s i64 [3]\ny = ConstantOfShape(s)", "f32 ?x?x?"},
      {"constant a i64 [] = {2}\nconstant b i64 [] = {9}\nconstant d i64 [] = {3}\ny = Range(a, b, d)",
       "i64 3", "2 5 8"},
      {"constant a i64 [] = {3}\nconstant b i64 [] = {-1}\nconstant d i64 [] = {-2}\ny = Range(a, b, d)",
       "i64 2", "3 1"},
      {"constant a f32 [] = {0}\nconstant b f32 [] = {1}\nconstant d f32 [] = {0.25}\ny = Range(a, b, d)",
       "f32 4"},
      {"input a i64 []\nconstant d i64 [] = {1}\ny = Range(a, a, d)", "i64 ?"},
      {"y = RandomNormal() {shape=[2, 3], dtype=10}", "f16 2x3"},
      {"input x f32 [4, 5]\ny = EyeLike(x) {dtype=7}", "i64 4x5"},
      {"input x f32 [4, 5]\ny = Multinomial(x) {sample_size=3}", "i32 4x3"},
  });
  check_errors({
      {"constant a i64 [] = {0}\nconstant b i64 [] = {9}\nconstant d i64 [] = {0}\ny = Range(a, b, d)",
       "step"},
      {"constant a i64 [] = {-9000000000000000000}\nconstant b i64 [] = {9000000000000000000}\nconstant d "
       "i64 [] = {1}\n"
       "y = Range(a, b, d)",
       "2^53"},
      {"constant s i64 [2] = {4611686018427387904, 4611686018427387904}\ny = ConstantOfShape(s)", "2^53"},
      {"constant s i64 [1] = {-2}\ny = ConstantOfShape(s)", "-2"},
      {"input x f32 [2]\ny = Cast(x) {to=99}", "99"},
  });
}

TEST_CASE("operators that read sizes and change types") {
  check({
      {"input x f32 [2, 3, 4]\ny = Shape(x)", "i64 3", "2 3 4"},
      {"input x f32 [2, 3, 4]\ny = Shape(x) {start=-2, end=9}", "i64 2", "3 4"},
      {"input x f32 [2, 3, 4]\ny = Shape(x) {start=2, end=1}", "i64 0", ""},
      {"input x f32 [2, 3, 4]\ny = Size(x)", "i64 scalar", "24"},
      {"input x f32 [2, 3]\ns = Shape(x)\ny = Cast(s) {to=6}", "i32 2", "2 3"},
      {"input x f32 [2, 3]\ns = Shape(x)\nf = Cast(s) {to=1}\ny = Cast(f) {to=7}", "i64 2", "2 3"},
      {"input x f32 [2, 0]\ns = Shape(x)\ny = Cast(s) {to=9}", "bool 2", "1 0"},
      {"input x f16 [2]\ninput i i64 [3]\ny = CastLike(i, x)", "f16 3"},
      {"input x f32 [2, 3]\nn = NonZero(x)\ny = Shape(n)", "i64 2", "2 ?"},
  });
}

TEST_CASE("operators that give elements another shape or order") {
  check({
      {"input x f32 [2, 3, 4]\nconstant s i64 [2] = {0, -1}\ny = Reshape(x, s)", "f32 2x12"},
      {"input x f32 [2, 3, 4]\nconstant s i64 [3] = {4, 3, 2}\ny = Reshape(x, s)", "f32 4x3x2"},
      {"input x f32 [0, 3]\nconstant s i64 [2] = {-1, 3}\ny = Reshape(x, s)", "f32 0x3"},
      {"input x f32 [0, 3]\nconstant s i64 [2] = {0, 3}\ny = Reshape(x, s) {allowzero=1}", "f32 0x3"},
      {"input x f32 [2, 6]\ninput s i64 [3]\ny = Reshape(x, s)", "f32 ?x?x?"},
      {"input x f32 [2, 3, 4]\ny = Flatten(x)", "f32 2x12"},
      {"input x f32 [2, 3, 4]\ny = Flatten(x) {axis=-1}", "f32 6x4"},
      {"input x f32 [2, 3, 4]\ny = Flatten(x) {axis=0}", "f32 1x24"},
      {"input x f32 [1, 3, 1]\ny = Squeeze(x)", "f32 3"},
      {"input x f32 [1, 3, 1]\nconstant a i64 [1] = {-1}\ny = Squeeze(x, a)", "f32 1x3"},
      {"input x f32 [3]\nconstant a i64 [2] = {0, -1}\ny = Unsqueeze(x, a)", "f32 1x3x1"},
      {"input x f32 [2, 3, 4]\ny = Transpose(x)", "f32 4x3x2"},
      {"input x f32 [2, 3, 4]\ny = Transpose(x) {perm=[1, 0, 2]}", "f32 3x2x4"},
      {"constant c i64 [2, 3] = {1, 2, 3, 4, 5, 6}\ny = Transpose(c)", "i64 3x2", "1 4 2 5 3 6"},
      {"input x f32 [3, 1]\nconstant s i64 [3] = {2, 1, 4}\ny = Expand(x, s)", "f32 2x3x4"},
      {"constant c i64 [2, 1] = {1, 2}\nconstant s i64 [2] = {1, 3}\ny = Expand(c, s)", "i64 2x3",
       "1 1 1 2 2 2"},
      {"input x f32 [3, 1]\ninput s i64 [2]\ny = Expand(x, s)", "f32 3x?"},
      {"input x f32 [1, 12, 2, 3]\ny = DepthToSpace(x) {blocksize=2}", "f32 1x3x4x6"},
      {"input x f32 [1, 3, 4, 6]\ny = SpaceToDepth(x) {blocksize=2}", "f32 1x12x2x3"},
  });
  check({{"input x f32 [1, 3, 1]\ny = Squeeze(x) {axes=[0]}", "f32 3x1"},
         {"input x f32 [3]\ny = Unsqueeze(x) {axes=[0, 2]}", "f32 1x3x1"}},
        11);
  check_errors({
      {"input x f32 [2, 3]\nconstant s i64 [2] = {4, 2}\ny = Reshape(x, s)", "cannot reshape 2x3 to 4x2"},
      {"input x f32 [2, 3]\nconstant s i64 [2] = {4, -1}\ny = Reshape(x, s)", "cannot reshape"},
      {"input x f32 [2, 3]\nconstant s i64 [2] = {-1, -1}\ny = Reshape(x, s)", "more than one -1"},
      {"input x f32 [2, 3]\nconstant s i64 [2] = {-7, 1}\ny = Reshape(x, s)", "-7"},
      {"input x f32 [2]\nconstant s i64 [2] = {-1, 0}\ny = Reshape(x, s)", "copies axis 1"},
      {"input x f32 [2, 3]\nconstant a i64 [1] = {1}\ny = Squeeze(x, a)", "cannot squeeze"},
      {"input x f32 [2]\nconstant a i64 [2] = {0, 0}\ny = Unsqueeze(x, a)", "twice"},
      {"input x f32 [2]\ny = Transpose(x) {perm=[0, 1]}", "permutation"},
      {"input x f32 [2]\ny = Transpose(x) {perm=[1]}", "axis 1 does not exist"},
      {"input x f32 [2]\nconstant s i64 [2] = {1152921504606846976, 2}\ny = Expand(x, s)", "2^53"},
      {"input x f32 [1, 3, 2, 2]\ny = DepthToSpace(x) {blocksize=2}", "multiple"},
  });
}

TEST_CASE("operators that cut, repeat and surround") {
  const std::string four = "constant c i64 [4] = {10, 11, 12, 13}\n";
  const auto slice = [](const std::string& start, const std::string& end, const std::string& step) {
    return "constant s i64 [1] = {" + start + "}\nconstant e i64 [1] = {" + end +
           "}\nconstant a i64 [1] = {0}\nconstant p i64 [1] = {" + step + "}\ny = Slice(c, s, e, a, p)";
  };
  check({
      {four + slice("1", "3", "1"), "i64 2", "11 12"},
      {four + slice("-2", "9223372036854775807", "1"), "i64 2", "12 13"},
      {four + slice("0", "9223372036854775807", "2"), "i64 2", "10 12"},
      {four + slice("-1", "-9223372036854775807", "-1"), "i64 4", "13 12 11 10"},
      {four + slice("3", "0", "-2"), "i64 2", "13 11"},
      {four + slice("3", "1", "1"), "i64 0", ""},
      {four + slice("0", "4", "9223372036854775807"), "i64 1", "10"},
      {four + slice("3", "-9223372036854775807", "-9223372036854775807"), "i64 1", "13"},
      {"input x f32 [4, 8]\ninput s i64 [1]\nconstant e i64 [1] = {9}\nconstant a i64 [1] = {1}\ny = "
       "Slice(x, s, e, a)",
       "f32 4x?"},
      {"input x f32 [2, 3]\nconstant r i64 [2] = {2, 3}\ny = Tile(x, r)", "f32 4x9"},
      {"constant c i64 [2] = {1, 2}\nconstant r i64 [1] = {2}\ny = Tile(c, r)", "i64 4", "1 2 1 2"},
      {"input x f32 [2, 3]\nconstant p i64 [4] = {0, 1, 0, 2}\ny = Pad(x, p)", "f32 2x6"},
      {"input x f32 [2, 3]\nconstant p i64 [4] = {0, -1, 0, 0}\ny = Pad(x, p)", "f32 2x2"},
      {"input x f32 [2, 3]\nconstant p i64 [2] = {1, 1}\nconstant a i64 [1] = {-1}\ny = Pad(x, p, _, a)",
       "f32 2x5"},
      {"input x f32 [2, 7]\na, y = Split(x) {axis=1, num_outputs=2}", "f32 2x3"},
      {"input x f32 [2, 7]\nconstant s i64 [2] = {3, 4}\na, y = Split(x, s) {axis=1}", "f32 2x4"},
      {"constant c i64 [4] = {1, 2, 3, 4}\na, y = Split(c)", "i64 2", "3 4"},
  });
  check({{"input x f32 [4, 8]\ny = Slice(x) {starts=[1, 0], ends=[3, -1]}", "f32 2x7"},
         {"input x f32 [4, 8]\ny = Slice(x) {starts=[1], ends=[3], axes=[-1]}", "f32 4x2"},
         {"input x f32 [2, 7]\na, y = Split(x) {axis=1, split=[3, 4]}", "f32 2x4"},
         {"input x f32 [2, 3]\ny = Pad(x) {pads=[0, 1, 0, 2]}", "f32 2x6"}},
        9);
  check_errors({
      {four + slice("0", "4", "0"), "step"},
      {"input x f32 [2]\nconstant r i64 [1] = {1152921504606846976}\ny = Tile(x, r)", "2^53"},
      {"input x f32 [8]\nconstant r i64 [1] = {4611686018427387904}\ny = Tile(x, r)", "64 bits"},
      {"input x f32 [2]\nconstant p i64 [2] = {9223372036854775807, 1}\ny = Pad(x, p)", "64 bits"},
      {"input x f32 [2]\nconstant p i64 [2] = {-2, -1}\ny = Pad(x, p)", "crop"},
      {"input x f32 [7]\nconstant s i64 [2] = {3, 3}\ny, b = Split(x, s)", "sum to 6"},
      {"input x f32 [7]\ny, b = Split(x) {axis=2}", "axis 2"},
  });
}

TEST_CASE("operators that pick by index") {
  check({
      {"input x f32 [5, 6]\ninput i i64 [2, 3]\ny = Gather(x, i)", "f32 2x3x6"},
      {"input x f32 [5, 6]\nconstant i i64 [] = {0}\ny = Gather(x, i) {axis=1}", "f32 5"},
      {"input x f32 [5, 6]\ns = Shape(x)\nconstant i i64 [] = {-1}\ny = Gather(s, i)", "i64 scalar", "6"},
      {"input x f32 [5, 6]\ninput i i64 [5, 2]\ny = GatherElements(x, i) {axis=1}", "f32 5x2"},
      {"input x f32 [5, 6, 7]\ninput i i64 [4, 2]\ny = GatherND(x, i)", "f32 4x7"},
      {"input x f32 [5, 6, 7]\ninput i i64 [5, 1]\ny = GatherND(x, i) {batch_dims=1}", "f32 5x7"},
      {"input x f32 [5, 6]\ninput i i64 [4, 1]\ninput u f32 [4, 6]\ny = ScatterND(x, i, u)", "f32 5x6"},
      {"constant c i64 [3] = {1, 2, 3}\nconstant i i64 [1, 1] = {1}\nconstant u i64 [1] = {9}\ny = "
       "ScatterND(c, i, u)",
       "i64 3", "1 9 3"},
      {"constant c i64 [3] = {1, 2, 3}\nconstant i i64 [] = {1}\nconstant u i64 [] = {9}\ny = ScatterND(c, "
       "i, u)",
       "i64 3", "-"},
      {"input i i64 [2, 3]\nconstant d i64 [] = {10}\nconstant v f32 [2] = {0, 1}\ny = OneHot(i, d, v)",
       "f32 2x3x10"},
      {"input x f32 [5, 6]\nconstant c bool [3] = {1, 0, 1}\ny = Compress(x, c) {axis=0}", "f32 2x6"},
      {"input x f32 [5, 6]\ny = NonZero(x)", "i64 2x?"},
      {"constant c i64 [4] = {0, 5, 0, 6}\ny = NonZero(c)", "i64 1x2", "1 3"},
      {"input x f32 [5, 6]\ny = Unique(x)", "f32 ?"},
      {"input x f32 [5, 6]\nconstant k i64 [1] = {2}\nv, y = TopK(x, k)", "i64 5x2"},
      {"input x f32 [5, 6]\ny = ArgMax(x) {axis=1, keepdims=0}", "i64 5"},
  });
  check_errors({
      {"input x f32 [5, 6]\ns = Shape(x)\nconstant i i64 [] = {2}\ny = Gather(s, i)", "index 2"},
      {"input x f32 [5]\ninput i i64 [1, 2]\ny = GatherND(x, i)", "rank 1"},
      {"input x f32 [5]\nconstant k i64 [1] = {7}\ny = TopK(x, k)", "the top 7"},
  });
}

TEST_CASE("operators that join and reduce") {
  check({
      {"input a f32 [2, 3]\ninput b f32 [2, 4]\ny = Concat(a, b) {axis=-1}", "f32 2x7"},
      {"input x f32 [5, 6]\ns = Shape(x)\nconstant c i64 [1] = {-1}\ny = Concat(c, s) {axis=0}", "i64 3",
       "-1 5 6"},
      {"input n i64 [1]\nconstant c i64 [1] = {4}\ny = Concat(n, c) {axis=0}", "i64 2", "? 4"},
      {"input x f32 [3]\nn = NonZero(x)\nconstant c i64 [1, 2] = {4, 5}\ny = Concat(c, n) {axis=0}",
       "i64 2x2"},
      {"constant e i64 [4096, 0] = {}\ny = Transpose(e)", "i64 0x4096"},
      {"constant a i64 [] = {-9223372036854775807}\nconstant b i64 [] = {9223372036854775807}\n"
       "constant d i64 [] = {4611686018427387904}\ny = Range(a, b, d)",
       "i64 4", "-9223372036854775807 -4611686018427387903 1 4611686018427387905"},
      {"input x f32 [2, 3, 4]\nconstant a i64 [2] = {-1, 0}\ny = ReduceMean(x, a)", "f32 1x3x1"},
      {"input x f32 [2, 3, 4]\ny = ReduceSum(x) {keepdims=0}", "f32 scalar"},
      {"input x f32 [2, 3]\ny = ReduceSum(x) {noop_with_empty_axes=1}", "f32 2x3"},
      {"input x f32 [2, 3]\ninput a i64 [1]\ny = ReduceMax(x, a)", "f32 ?x?"},
      {"input x f32 [2, 3, 4]\ns = Shape(x)\ny = ReduceProd(s) {keepdims=0}", "i64 scalar", "24"},
      {"constant c i64 [3] = {1, 2, 3}\nconstant a i64 [] = {0}\ny = CumSum(c, a)", "i64 3", "1 3 6"},
  });
  check({{"input x f32 [2, 3, 4]\ny = ReduceMean(x) {axes=[1], keepdims=0}", "f32 2x4"}}, 13);
  check_errors({
      {"input a f32 [2, 3]\ninput b f32 [3, 3]\ny = Concat(a, b) {axis=1}", "differ outside axis 1"},
      {"input a f32 [2]\ninput b f32 [2, 3]\ny = Concat(a, b) {axis=0}", "differ in rank"},
      {"input x f32 [2, 3]\ny = ReduceMean(x) {axes=[2]}", "axis 2"},
  });
}

TEST_CASE("element-wise operators compute small integers") {
  const std::string ab = "constant a i64 [3] = {7, -7, 6}\nconstant b i64 [1] = {2}\n";
  check({
      {ab + "y = Add(a, b)", "i64 3", "9 -5 8"},
      {ab + "y = Sub(a, b)", "i64 3", "5 -9 4"},
      {ab + "y = Mul(a, b)", "i64 3", "14 -14 12"},
      {ab + "y = Div(a, b)", "i64 3", "3 -3 3"},
      {ab + "y = Mod(a, b)", "i64 3", "1 1 0"},
      {ab + "y = Pow(b, b)", "i64 1", "4"},
      {ab + "y = Min(a, b)", "i64 3", "2 -7 2"},
      {ab + "y = Max(a, b)", "i64 3", "7 2 6"},
      {ab + "y = Greater(a, b)", "bool 3", "1 0 1"},
      {ab + "y = LessOrEqual(a, b)", "bool 3", "0 1 0"},
      {ab + "e = Equal(a, b)\ny = Not(e)", "bool 3", "1 1 1"},
      {ab + "e = Less(a, b)\ny = Where(e, a, b)", "i64 3", "2 -7 2"},
      {ab + "y = Neg(a)", "i64 3", "-7 7 -6"},
      {ab + "y = Abs(a)", "i64 3", "7 7 6"},
      {ab + "y = Sign(a)", "i64 3", "1 -1 1"},
      {ab + "y = Clip(a, _, b)", "i64 3", "2 -7 2"},
      {ab + "y = BitShift(a, b) {direction=\"LEFT\"}", "i64 3", "28 -28 24"},
      {"constant f f32 [2] = {2.5, -1.5}\ng = Floor(f)\ny = Cast(g) {to=7}", "i64 2", "2 -2"},
      {"constant f f32 [2] = {2.5, 3.5}\ng = Round(f)\ny = Cast(g) {to=7}", "i64 2", "2 4"},
      {"constant f f32 [2] = {7.0, 9.0}\nconstant g f32 [] = {2.0}\nh = Div(f, g)\nc = Ceil(h)\ny = Cast(c) "
       "{to=7}",
       "i64 2", "4 5"},
      {"input n i64 [1]\nconstant c i64 [1] = {4}\nv = Concat(n, c) {axis=0}\ny = Mul(v, c)", "i64 2",
       "? 16"},
      {"constant c i64 [1] = {9223372036854775807}\ny = Add(c, c)", "i64 1", "?"},
      {"input a f32 [2, 1]\ninput b f32 [3]\ny = Add(a, b)", "f32 2x3"},
      {"input a f32 [2, 1]\ninput b f32 [3]\ny = Equal(a, b)", "bool 2x3"},
      {"input a f32 [2, 3]\ny = com.microsoft::FastGelu(a)", "f32 2x3"},
      {"input a f32 [2, 3]\nx, y = Dropout(a)", "bool 2x3"},
  });
  check_errors({
      {"input a f32 [2, 3]\ninput b f32 [2]\ny = Add(a, b)", "do not broadcast"},
      {"constant a i64 [1] = {1}\nconstant b i64 [1] = {0}\ny = Div(a, b)", "divided by 0"},
      {"constant a i64 [1] = {1}\nconstant b i64 [1] = {0}\ny = Mod(a, b)", "divided by 0"},
  });
}

TEST_CASE("quantized tensors keep their shapes") {
  check({
      {"input x f32 [2, 3]\nweight s f32 []\nweight z i8 []\ny = QuantizeLinear(x, s, z)", "i8 2x3"},
      {"input x f32 [2, 3]\nweight s f32 []\ny = QuantizeLinear(x, s)", "u8 2x3"},
      {"weight x i8 [2, 3]\nweight s f16 []\ny = DequantizeLinear(x, s)", "f16 2x3"},
      {"input x f32 [2, 3]\ny, s, z = DynamicQuantizeLinear(x)", "u8 2x3"},
  });
}

TEST_CASE("sequences are followed element by element") {
  const std::string parts = "input x f32 [7, 4]\nconstant n i64 [] = {3}\nq = SplitToSequence(x, n)\n";
  check({
      {parts + "constant i i64 [] = {-1}\ny = SequenceAt(q, i)", "f32 1x4"},
      {parts + "input i i64 []\ny = SequenceAt(q, i)", "f32 ?x4"},
      {parts + "y = SequenceLength(q)", "i64 scalar", "3"},
      {parts + "y = ConcatFromSequence(q) {axis=0}", "f32 7x4"},
      {"input x f32 [7, 4]\nq = SplitToSequence(x) {keepdims=0}\ny = ConcatFromSequence(q) {axis=1, "
       "new_axis=1}",
       "f32 4x7"},
      {"input a f32 [2]\ninput b f32 [3]\nq = SequenceConstruct(a, b)\nconstant i i64 [] = {0}\n"
       "r = SequenceInsert(q, b, i)\ns = SequenceErase(r)\ny = ConcatFromSequence(s) {axis=0}",
       "f32 5"},
      {"e = SequenceEmpty()\ninput a f32 [2]\nq = SequenceInsert(e, a)\ni = Identity(q)\nconstant z i64 [] = "
       "{0}\n"
       "y = SequenceAt(i, z)",
       "f32 2"},
      {"input x f32 [9007199254740992]\nq = SplitToSequence(x)\nconstant z i64 [] = {0}\ny = SequenceAt(q, "
       "z)",
       "unknown -"},
  });
  check_errors({
      {parts + "constant i i64 [] = {3}\ny = SequenceAt(q, i)", "position 3 in a sequence of 3"},
      {"q = SequenceEmpty()\ny = SequenceErase(q)", "empty"},
  });
}

TEST_CASE("operators of signals, images and detections") {
  check({
      {"input x f32 [2, 100, 1]\ny = DFT(x) {onesided=1}", "f32 2x51x2"},
      {"input x f32 [2, 100, 1]\nconstant s i64 [] = {10}\nconstant f i64 [] = {20}\ny = STFT(x, s, _, f)",
       "f32 2x9x11x2"},
      {"constant n i64 [] = {400}\ny = HannWindow(n)", "f32 400"},
      {"constant b i64 [] = {80}\nconstant n i64 [] = {400}\ny = MelWeightMatrix(b, n, n, n, n)",
       "f32 201x80"},
      {"input b f32 [1, 100, 4]\ninput s f32 [1, 2, 100]\ny = NonMaxSuppression(b, s)", "i64 ?x3"},
      {"input t f32 [2, 2, 3]\nconstant s i64 [4] = {2, 3, 8, 9}\ny = AffineGrid(t, s)", "f32 2x8x9x2"},
      {"input x f32 [1, 3, 4, 4]\ninput i i64 [1, 3, 4, 4]\ny = MaxUnpool(x, i) {kernel_shape=[2, 2], "
       "strides=[2, 2]}",
       "f32 1x3x8x8"},
      {"input x f32 [1, 12, 9]\nconstant i i64 [2] = {6, 6}\nconstant b i64 [2] = {2, 2}\ny = Col2Im(x, i, "
       "b)",
       "f32 1x3x6x6"},
      {"input x f32 [3, 8, 8]\nconstant s i64 [2] = {4, 10}\ny = CenterCropPad(x, s) {axes=[1, 2]}",
       "f32 3x4x10"},
  });
}

TEST_CASE("every operator that a layer kind covers has a shape rule") {
  for (const LayerKind* kind : layer_kinds()) {
    for (const OperatorRule& rule : kind->operators) {
      INFO(kind->name << ": " << rule.domain << "::" << rule.op);
      CHECK(find_shape_rule(rule.domain, rule.op) != nullptr);
    }
  }
}
