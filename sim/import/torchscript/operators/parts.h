#pragma once
// Parts that several families of operators are made of.

#include "sim/import/torchscript/operator.h"

namespace layersim {

// The tensor with two axes, counted from the front, exchanged.
ValueId swap_axes(const TorchCall& call, ValueId tensor, std::size_t rank, std::size_t a, std::size_t b);
// x W^T + bias, with W of [out, in] as PyTorch has it; `bias` may be kNoValue.
ValueId linear_layer(const TorchCall& call, ValueId x, ValueId weight, ValueId bias);
// softmax(Q K^T / sqrt(D)) V of [N, H, L, D].
ValueId attention_core(const TorchCall& call, ValueId query, ValueId key, ValueId value, ValueId mask,
                       bool causal);
// Normalization over as many last axes as `axes`.
ValueId layer_norm(const TorchCall& call, ValueId x, std::size_t axes, ValueId weight, ValueId bias);

}  // namespace layersim
