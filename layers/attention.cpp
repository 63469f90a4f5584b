// The core of attention as one layer. With N sequences, H heads (of which groups share G keys and values),
// query length Q, key length K, head sizes D and E (of values):
//   MACs      N x H x Q x K x (D + E): the product with the keys and the one with the values; a causal mask
//   counts in full elements  N x (H x Q x D + G x K x (D + E)) in, N x H x Q x E out
// Softmax takes 5 operations per score. Backward there are two products for each of the two. The scores are
// kept, as by frameworks that do not recompute them.

#include <string_view>

#include "layers/attention.h"
#include "layers/kinds.h"
#include "layers/work.h"
#include "sim/core/error.h"

namespace layersim {
namespace {

enum AttentionSize : std::size_t {
  kBatch,
  kHeads,
  kKvHeads,
  kQueryLength,
  kKeyLength,
  kHeadSize,
  kValueHeadSize,
  kCausal
};

void lower_attention(LoweringContext& context) {
  const AttentionGeometry g = read_attention(context);
  for (const std::int64_t size :
       {g.batch, g.heads, g.kv_heads, g.query_length, g.key_length, g.head_size, g.value_head_size}) {
    if (size < 0) throw ShapeUnknown{};
  }
  if (g.input_features > 0) {
    const std::int64_t out = g.heads * (2 * g.head_size + g.value_head_size);
    Problem projection = make_problem(dense_kind(), context.dtype(0),
                                      {{"rows", element_count({g.batch, g.query_length})},
                                       {"in_features", g.input_features},
                                       {"out_features", out},
                                       {"bias", context.has_input(2) ? 1 : 0}});
    projection.weight_dtype = context.weight_dtype(1);
    context.add(std::move(projection), "projection", Shape{g.batch, g.query_length, out});
  }
  // The quantized form multiplies in integers only in the projection.
  const DType dtype = is_float(context.dtype(0)) ? context.dtype(0) : context.output_dtype(0);
  context.add(make_problem(attention_kind(), dtype,
                           {{"batch", g.batch},
                            {"heads", g.heads},
                            {"kv_heads", g.kv_heads},
                            {"query_length", g.query_length},
                            {"key_length", g.key_length},
                            {"head_size", g.head_size},
                            {"value_head_size", g.value_head_size},
                            {"causal", g.causal ? 1 : 0}}),
              g.input_features > 0 ? "core" : "");
}

LayerWork attention_work(const Problem& problem) {
  const double queries = at(problem, kBatch) * at(problem, kHeads) * at(problem, kQueryLength);
  const double keys = at(problem, kBatch) * at(problem, kKvHeads) * at(problem, kKeyLength);
  const double scores = queries * at(problem, kKeyLength);
  const double sizes = at(problem, kHeadSize) + at(problem, kValueHeadSize);
  const double in = queries * at(problem, kHeadSize) + keys * sizes;
  const double out = queries * at(problem, kValueHeadSize);
  const double element = bytes(problem.dtype);
  LayerWork work;
  work.forward = {scores * sizes, 2 * scores * sizes + 5 * scores, in * element, out * element, 1};
  work.backward_data = {2 * scores * sizes, 4 * scores * sizes + 4 * scores,
                        (in + scores + 2 * out) * element, in * element, 1};
  work.keeps_input = true;
  work.keeps_output = true;
  work.kept_elements = scores;
  return work;
}

}  // namespace

const LayerKind& attention_kind() {
  constexpr std::string_view kMs = "com.microsoft";
  static const LayerKind kKind{
      .name = "attention",
      .summary = "softmax(Q K^T) V for several heads in one operator",
      .parameters = {{"batch", "sequence", 1, 128, Draw::log_uniform},
                     {"heads", "head", 1, 128, Draw::log_uniform},
                     {"kv_heads", "head", 1, 128, Draw::log_uniform},
                     {"query_length", "token", 1, 8192, Draw::log_uniform},
                     {"key_length", "token", 1, 8192, Draw::log_uniform},
                     {"head_size", "element", 16, 256, Draw::log_uniform},
                     {"value_head_size", "element", 16, 256, Draw::log_uniform},
                     {"causal", "flag", 0, 1, Draw::uniform}},
      .operators = {{"Attention", infer_attention, lower_attention},
                    {"Attention", infer_attention, lower_attention, kMs},
                    {"QAttention", infer_attention, lower_attention, kMs},
                    {"MultiHeadAttention", infer_attention, lower_attention, kMs},
                    {"DecoderMaskedMultiHeadAttention", infer_attention, lower_attention, kMs},
                    {"GroupQueryAttention", infer_attention, lower_attention, kMs}},
      .work = attention_work};
  return kKind;
}

}  // namespace layersim
