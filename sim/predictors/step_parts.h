#pragma once
// A training step or a forward pass of a network as the parts whose times a run model predicts: each layer
// forward, and backward the gradients of its input and of its weights.

#include <span>
#include <vector>

#include "sim/features/feature_family.h"

namespace layersim {

struct StepPart {
  std::size_t layer = 0;  // index into the queries
  const FeatureFamily* family = nullptr;
  Problem problem;  // what runs: the gradients of a product are products of other sizes
  LayerWork work;
  Pass pass = Pass::forward;
  bool backward = false;
  bool follows_product = false;  // an activation right behind a convolution or a product
  int kernels = 1;               // launches

  [[nodiscard]] FeatureQuery query(const LayerQuery& layer_query) const;
};

// Whether the stack makes the layer's result without a kernel: PyTorch and Torch7 run operator by operator
// and hand out what a split or a slice makes as views of the same memory.
[[nodiscard]] bool is_view(const Problem& problem, std::string_view stack);

// Launches of one layer in a step of the mode and stack of `conditions`.
[[nodiscard]] double count_kernels(const LayerQuery& query, const Conditions& conditions);
// The parts of one layer, appended. None for a layer of which not even the bytes are known, and none forward
// for a view.
void append_parts(const LayerQuery& query, std::size_t layer, const Conditions& conditions,
                  std::vector<StepPart>& parts);

}  // namespace layersim
