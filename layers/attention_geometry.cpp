// Reads the shapes of attention operators.
//
//   Attention (ONNX 23)   Q, K, V, mask, past key, past value -> Y, present key, present value, scores;
//   either [N, H, L, D]
//                         or [N, L, H x D] with the numbers of heads as attributes
//   Attention (Microsoft) input [N, L, I], weights [I, widths of Q + K + V], bias, mask, past [2, N, H, P, D]
//   ... MultiHeadAttention    query [N, L, H x D] or packed [N, L, H, 3, D]; key [N, K, H x D], packed [N, K,
//   H, 2, D] or
//                         [N, H, K, D]; value; bias; masks; past key and value [N, H, P, D]
//   GroupQueryAttention   query [N, L, H x D], or packed with keys and values behind; key, value [N, L, G x
//   D]; past key
//                         and value [N, G, P, D]

#include <algorithm>
#include <string>

#include "layers/attention.h"
#include "sim/core/error.h"
#include "sim/graph/shape_rules/contents.h"

namespace layersim {
namespace {

constexpr std::string_view kMicrosoft = "com.microsoft";

std::int64_t divide(std::int64_t size, std::int64_t heads) {
  if (heads < 1) throw bad_input("the number of heads is " + std::to_string(heads));
  if (size < 0) return kUnknownDim;
  if (size % heads != 0) {
    throw bad_input(std::to_string(heads) + " heads do not divide a width of " + std::to_string(size));
  }
  return size / heads;
}

std::int64_t add(std::int64_t a, std::int64_t b) { return a < 0 || b < 0 ? kUnknownDim : a + b; }

// Length of the past keys, [N, H, P, D].
std::int64_t past_length(const ShapeContext& context, std::size_t index) {
  if (!context.has_input(index)) return 0;
  const Shape& past = context.shape(index);
  return past.size() < 2 ? 0 : past[past.size() - 2];
}

AttentionGeometry read_standard(const ShapeContext& context) {
  const Shape& query = context.shape(0, 3, 4);
  const Shape& key = context.shape(1, query.size(), query.size());
  const Shape& value = context.shape(2, query.size(), query.size());
  AttentionGeometry g;
  g.batch = query[0];
  g.causal = context.int_or("is_causal", 0) != 0;
  if (query.size() == 4) {
    g.heads = query[1];
    g.kv_heads = key[1];
    g.query_length = query[2];
    g.key_length = key[2];
    g.head_size = query[3];
    g.value_head_size = value[3];
  } else {
    g.heads = context.int_or("q_num_heads", 0);
    g.kv_heads = context.int_or("kv_num_heads", 0);
    g.query_length = query[1];
    g.key_length = key[1];
    g.head_size = divide(query[2], g.heads);
    g.value_head_size = divide(value[2], g.kv_heads);
  }
  g.key_length = add(g.key_length, past_length(context, 4));
  return g;
}

AttentionGeometry read_projecting(const ShapeContext& context) {
  const Shape& input = context.shape(0, 3, 3);
  const Shape& weight = context.shape(1, 2, 2);
  AttentionGeometry g;
  g.batch = input[0];
  g.query_length = g.key_length = input[1];
  g.heads = g.kv_heads = context.int_or("num_heads", 0);
  g.input_features = input[2] >= 0 ? input[2] : weight[0];
  if (input[2] >= 0 && weight[0] >= 0 && input[2] != weight[0]) {
    throw bad_input("input has " + std::to_string(input[2]) + " features, weight " + to_string(weight) +
                    " expects " + std::to_string(weight[0]));
  }
  if (const auto widths = context.ints_or("qkv_hidden_sizes", {}); widths.size() == 3) {
    g.head_size = divide(widths[0], g.heads);
    g.value_head_size = divide(widths[2], g.heads);
  } else {
    g.head_size = g.value_head_size = divide(divide(weight[1], 3), g.heads);
  }
  g.causal = context.int_or("unidirectional", 0) != 0;
  const std::size_t past = context.node().op == "QAttention" ? 8 : 4;
  g.key_length = add(g.key_length, past_length(context, past));
  return g;
}

AttentionGeometry read_multi_head(const ShapeContext& context) {
  const Shape& query = context.shape(0, 3, 5);
  AttentionGeometry g;
  g.batch = query[0];
  g.query_length = query[1];
  g.heads = g.kv_heads = context.int_or("num_heads", 0);
  g.head_size = query.size() == 5 ? query[4] : divide(query.back(), g.heads);
  g.value_head_size = g.head_size;
  g.key_length = query[1];
  g.causal = context.int_or("unidirectional", 0) != 0;
  if (context.has_input(1)) {
    const Shape& key = context.shape(1, 3, 5);
    g.key_length = key.size() == 4 ? key[2] : key[1];
    if (context.has_input(2)) {
      const Shape& value = context.shape(2, 3, 4);
      g.value_head_size = value.size() == 4 ? value[3] : divide(value[2], g.heads);
    }
  }
  const std::size_t past = context.node().op == "MultiHeadAttention" ? 6 : 5;
  g.key_length = add(g.key_length, past_length(context, past));
  return g;
}

AttentionGeometry read_grouped(const ShapeContext& context) {
  const Shape& query = context.shape(0, 3, 3);
  AttentionGeometry g;
  g.batch = query[0];
  g.query_length = query[1];
  g.heads = context.int_or("num_heads", 0);
  g.kv_heads = context.int_or("kv_num_heads", 0);
  if (g.heads < 1 || g.kv_heads < 1 || g.heads > kMaxElements || g.kv_heads > g.heads) {
    throw bad_input("the numbers of heads are " + std::to_string(g.heads) + " and " +
                    std::to_string(g.kv_heads));
  }
  const bool packed = !context.has_input(1);
  g.head_size = g.value_head_size = divide(query[2], packed ? g.heads + 2 * g.kv_heads : g.heads);
  g.causal = true;
  g.key_length = add(query[1], past_length(context, 3));
  // With a buffer for past and present alike, the total length is an input.
  if (const auto total = single_int(context, 6); total && *total > 0) {
    if (*total > kMaxElements) throw bad_input("a total length of " + std::to_string(*total));
    g.key_length = *total;
  }
  return g;
}

}  // namespace

AttentionGeometry read_attention(const ShapeContext& context) {
  const std::string& op = context.node().op;
  AttentionGeometry g;
  if (op == "GroupQueryAttention") {
    g = read_grouped(context);
  } else if (op == "Attention" && context.node().domain.empty()) {
    g = read_standard(context);
  } else if (op == "Attention" || op == "QAttention") {
    g = read_projecting(context);
  } else {
    g = read_multi_head(context);
  }
  // Products of heads and head sizes stay far from overflow.
  for (const std::int64_t size : {g.heads, g.kv_heads, g.head_size, g.value_head_size}) {
    if (size > std::int64_t{1} << 24) throw bad_input("a head count or size of " + std::to_string(size));
  }
  return g;
}

void infer_attention(ShapeContext& context) {
  const AttentionGeometry g = read_attention(context);
  const Node& node = context.node();
  const Shape& query = context.shape(0);
  const std::int64_t width = g.heads < 0 || g.value_head_size < 0 ? kUnknownDim : g.heads * g.value_head_size;
  const bool heads_apart = node.domain.empty() && query.size() == 4;
  DType dtype = context.dtype(0);
  if (node.op == "QAttention") dtype = context.has_input(3) ? context.dtype(3) : DType::f32;
  context.set_output(0, dtype,
                     heads_apart ? Shape{g.batch, g.heads, g.query_length, g.value_head_size}
                                 : Shape{g.batch, g.query_length, width});
  if (node.domain == kMicrosoft && g.input_features != 0) {
    context.set_output(1, dtype, {2, g.batch, g.heads, g.key_length, g.head_size});
    return;
  }
  std::int64_t present = g.key_length;
  if (node.op == "GroupQueryAttention") present = std::max(present, past_length(context, 3));
  context.set_output(1, dtype, {g.batch, g.kv_heads, present, g.head_size});
  context.set_output(2, dtype, {g.batch, g.kv_heads, present, g.value_head_size});
  context.set_output(3, dtype, {g.batch, g.heads, g.query_length, g.key_length});
}

}  // namespace layersim
