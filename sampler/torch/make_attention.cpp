// softmax(Q K^T) V: one operator from libtorch 2 on, four before. And the lookup of rows in a table.

#include <torch/version.h>

#include <cmath>

#include "sampler/torch/torch_layer.h"

namespace layersim::torch_sampler {
namespace {

at::Tensor attend(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                  const at::Tensor& mask) {
#if TORCH_VERSION_MAJOR >= 2
  return at::scaled_dot_product_attention(query, key, value, {}, 0.0, mask.defined());
#else
  const double scale = 1 / std::sqrt(static_cast<double>(query.size(-1)));
  at::Tensor scores = at::matmul(query, key.transpose(-2, -1)) * scale;
  if (mask.defined()) scores = scores + mask;
  return at::matmul(at::softmax(scores, -1), value);
#endif
}

// Minus infinity above the diagonal; undefined where every key is seen.
at::Tensor causal_mask(bool causal, std::int64_t queries, std::int64_t keys,
                       const at::TensorOptions& options) {
  if (!causal) return {};
  return at::full({queries, keys}, -INFINITY, options).triu(1);
}

}  // namespace

TorchLayer make_attention(const SampleProblem& sample, const TensorMaker& tensors) {
  const Sizes sizes(sample.problem);
  const std::int64_t batch = sizes["batch"];
  const std::int64_t heads = sizes["heads"];
  const std::int64_t kv_heads = sizes["kv_heads"];
  const std::int64_t keys = sizes["key_length"];
  if (heads % kv_heads != 0) throw CannotMeasure("its heads do not divide by its key heads");
  const std::int64_t shared = heads / kv_heads;
  const at::Tensor query = tensors.input({batch, heads, sizes["query_length"], sizes["head_size"]});
  const at::Tensor key = tensors.input({batch, kv_heads, keys, sizes["head_size"]});
  const at::Tensor value = tensors.input({batch, kv_heads, keys, sizes["value_head_size"]});
  const at::Tensor mask = causal_mask(sizes["causal"] != 0, sizes["query_length"], keys, tensors.options());
  return {{query, key, value}, {}, [=] {
            if (shared == 1) return attend(query, key, value, mask);
            return attend(query, key.repeat_interleave(shared, 1), value.repeat_interleave(shared, 1), mask);
          }};
}

TorchLayer make_embedding(const SampleProblem& sample, const TensorMaker& tensors) {
  const Sizes sizes(sample.problem);
  const at::Tensor table = tensors.weight({sizes["table_rows"], sizes["width"]});
  const at::Tensor indices = tensors.indices(sizes["lookups"], sizes["table_rows"]);
  return {{}, {table}, [=] { return at::embedding(table, indices); }};
}

}  // namespace layersim::torch_sampler
