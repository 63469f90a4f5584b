// Attention, and the layers of transformers that PyTorch runs as one operator in evaluation mode.

#include "sim/core/error.h"
#include "sim/import/torchscript/operator.h"
#include "sim/import/torchscript/operators/parts.h"

namespace layersim {

ValueId attention_core(const TorchCall& call, ValueId query, ValueId key, ValueId value, ValueId mask,
                       bool causal) {
  std::vector<ValueId> inputs{query, key, value};
  if (mask != kNoValue) inputs.push_back(mask);
  return call.emit("Attention", std::move(inputs), {{"is_causal", std::int64_t{causal}}});
}

namespace {

// query, key, value, mask, dropout, causal
void scaled_dot_product(TorchCall& call) {
  if (call.shape(0).size() != 4) throw ShapeUnknown{};
  call.give(attention_core(call, call.tensor(0), call.tensor(1), call.tensor(2), call.optional_tensor(3),
                           call.flag(5)));
}

struct MultiHead {
  std::int64_t width;
  std::int64_t heads;
  ValueId in_weight, in_bias, out_weight, out_bias;
};

// Self-attention of [N, L, width], with the projections of query, key and value in one matrix.
ValueId multi_head(const TorchCall& call, ValueId x, const MultiHead& layer) {
  TorchConverter& converter = call.converter();
  const ValueId packed = linear_layer(call, x, layer.in_weight, layer.in_bias);
  call.emit("Split", {packed, converter.ints({layer.width, layer.width, layer.width})},
            {{"axis", std::int64_t{-1}}}, 3);
  std::vector<ValueId> parts;
  for (std::size_t i = 0; i < 3; ++i) parts.push_back(converter.last_output(i));
  const ValueId core =
      call.emit("Attention", parts, {{"q_num_heads", layer.heads}, {"kv_num_heads", layer.heads}});
  return linear_layer(call, core, layer.out_weight, layer.out_bias);
}

// query, key, value, width, heads, weights and biases of the input and output projections, mask ...
void native_multi_head(TorchCall& call) {
  if (call.tensor(0) != call.tensor(1) || call.tensor(0) != call.tensor(2) || call.shape(0).size() != 3) {
    throw ShapeUnknown{};
  }
  call.give(multi_head(call, call.tensor(0),
                       {call.integer(3), call.integer(4), call.tensor(5), call.optional_tensor(6),
                        call.tensor(7), call.optional_tensor(8)}));
  call.give(TorchValue(TorchNone{}));  // the weights of the attention are not asked for
}

// source, width, heads, attention's weights (2-5), GELU instead of ReLU?, norm first?, epsilon, weights and
// biases of two norms and two dense layers, mask ...
void encoder_layer(TorchCall& call) {
  if (call.shape(0).size() != 3) throw ShapeUnknown{};
  const bool norm_first = call.flag(8);
  const auto norm = [&](ValueId x, std::size_t i) {
    return layer_norm(call, x, 1, call.tensor(i), call.tensor(i + 1));
  };
  const MultiHead attention{call.integer(1),         call.integer(2), call.tensor(3),
                            call.optional_tensor(4), call.tensor(5),  call.optional_tensor(6)};
  const auto feed_forward = [&](ValueId x) {
    const ValueId hidden = linear_layer(call, x, call.tensor(14), call.optional_tensor(15));
    const ValueId active = call.emit(call.flag(7) ? "Gelu" : "Relu", {hidden});
    return linear_layer(call, active, call.tensor(16), call.optional_tensor(17));
  };
  ValueId x = call.tensor(0);
  if (norm_first) {
    x = call.emit("Add", {x, multi_head(call, norm(x, 10), attention)});
    x = call.emit("Add", {x, feed_forward(norm(x, 12))});
  } else {
    x = norm(call.emit("Add", {x, multi_head(call, x, attention)}), 10);
    x = norm(call.emit("Add", {x, feed_forward(x)}), 12);
  }
  call.give(x);
}

}  // namespace

std::span<const TorchOperator> torch_attention() {
  static constexpr TorchOperator kOperators[] = {
      {"scaled_dot_product_attention", scaled_dot_product},
      {"_native_multi_head_attention", native_multi_head},
      {"_transformer_encoder_layer_fwd", encoder_layer},
  };
  return kOperators;
}

}  // namespace layersim
