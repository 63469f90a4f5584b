#pragma once
// Attention operators in one form: softmax(Q K^T) V for `heads` heads, where groups of heads may share keys
// and values.

#include "layers/lowering.h"

namespace layersim {

// Sizes are kUnknownDim where the shapes do not tell.
struct AttentionGeometry {
  std::int64_t batch = 1;
  std::int64_t heads = 1;
  std::int64_t kv_heads = 1;
  std::int64_t query_length = 1;
  std::int64_t key_length = 1;  // past ones included
  std::int64_t head_size = 1;
  std::int64_t value_head_size = 1;
  bool causal = false;
  // com.microsoft::Attention also projects its input: width of the input, else 0.
  std::int64_t input_features = 0;
};

void infer_attention(ShapeContext& context);
[[nodiscard]] AttentionGeometry read_attention(const ShapeContext& context);

}  // namespace layersim
