#pragma once
// Work of normalizations, shared by the kinds norm and decomposed_norm.

#include <vector>

#include "layers/layer_kind.h"

namespace layersim {

enum class NormFunction : std::int64_t {
  batch,
  instance,
  layer,
  group,
  rms,
  lp,
  mean_variance,
  local_response
};

[[nodiscard]] std::vector<Parameter> norm_parameters();
[[nodiscard]] LayerWork norm_work(const Problem& problem);

}  // namespace layersim
