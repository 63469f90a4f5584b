#include "tests/fuzz/seed_models.h"

namespace layersim::tests {

// Between them these ask for most shape and lowering rules; each is small, so that a change is likely to
// matter.
std::vector<SeedModel> seed_texts() {
  return {{"images", R"(network images opset 19
input x f32 [2, 4, 8, 8]
input grid f32 [2, 5, 5, 2]
weight w f32 [8, 2, 3, 3]
weight t f32 [8, 2, 2, 2]
weight rois f32 [3, 4]
constant batch i64 [3] = {0, 1, 1}
constant sizes i64 [4] = {2, 8, 16, 16}
c = Conv(x, w) {group=2, pads=[1, 1, 1, 1], auto_pad="NOTSET"}
p, i = MaxPool(c) {kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1}
u = MaxUnpool(p, i) {kernel_shape=[3, 3], strides=[2, 2]}
d = ConvTranspose(p, t) {strides=[2, 2], output_padding=[1, 1]}
r = Resize(c, _, _, sizes) {mode="linear"}
g = GridSample(x, grid)
a = RoiAlign(x, rois, batch) {output_height=3, output_width=3}
s = DepthToSpace(x) {blocksize=2}
q = GlobalAveragePool(r)
output u
output d
output g
output a
output s
output q
)"},
          {"words", R"(network words opset 20
input ids i64 [2, 6]
input query f32 [2, 6, 8]
weight words f32 [50, 8]
weight places f32 [6, 8]
weight scale f32 [8]
weight qkv f32 [8, 24]
weight bias f32 [24]
weight packed u8 [8, 1, 4]
weight lstm f32 [1, 16, 8]
weight again f32 [1, 16, 4]
e, m, z = com.microsoft::EmbedLayerNormalization(ids, _, words, places, _, scale, scale)
a = com.microsoft::Attention(e, qkv, bias) {num_heads=2}
n = com.microsoft::SkipLayerNormalization(a, query, scale)
h = com.microsoft::MultiHeadAttention(n, n, n) {num_heads=2}
k = com.microsoft::GroupQueryAttention(h, h, h) {num_heads=4, kv_num_heads=4}
b = com.microsoft::MatMulNBits(k, packed) {K=8, N=8, bits=4, block_size=16}
v = Einsum(b, query) {equation="bij,bkj->bik"}
y, l, c = LSTM(query, lstm, again) {hidden_size=4}
f = Softmax(v) {axis=-1}
output f
output y
)"},
          {"lists", R"(network lists opset 18
input x f32 [3, 4, 5]
constant one i64 [1] = {1}
constant none i64 [] = {0}
constant two i64 [] = {2}
constant far i64 [1] = {3}
constant many i64 [2] = {1, 3}
constant places i64 [2, 1] = {0, 2}
s = Shape(x)
g = Gather(s, one)
r = ReduceProd(s) {keepdims=1}
q = Div(r, g)
t = Concat(g, q) {axis=0}
v = Reshape(x, t)
e = Expand(v, t)
p, o = Split(v, many) {axis=0}
n = GatherND(x, places)
k, j = TopK(x, one) {axis=1}
z = SplitToSequence(x, two) {axis=1}
h = SequenceAt(z, none)
c = ConcatFromSequence(z) {axis=1}
i = Range(two, r, two)
f = ConstantOfShape(t)
u = ScatterND(s, places, many)
w = Where(f, v, e)
d = DFT(x, two) {axis=1}
y = Slice(x, one, far, one)
output w
output p
output n
output k
output c
output h
output i
output d
output u
)"}};
}

}  // namespace layersim::tests
