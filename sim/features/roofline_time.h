#pragma once
// Operations at the peak of the device sheet or bytes at its bandwidth, whichever takes longer, per pass of a
// layer: a predictor of its own, and the feature on which the trained ones stand. Layers are mostly slower;
// convolutions that need fewer operations (Winograd) are faster.

#include <string_view>

#include "sim/features/conditions.h"
#include "sim/features/layer_query.h"

namespace layersim {

struct RooflineTime {
  double forward_ms = 0;
  double backward_data_ms = 0;  // 0 in forward mode, as the following
  double backward_weight_ms = 0;
  double optimizer_ms = 0;

  [[nodiscard]] double total_ms() const {
    return forward_ms + backward_data_ms + backward_weight_ms + optimizer_ms;
  }
};

// A layer without a model counts its bytes alone, in training once more for each way of the gradient.
[[nodiscard]] RooflineTime roofline_time(const LayerQuery& query, const Conditions& conditions);

// What the time of a step of this layer is bound by on that device: "compute", "memory", or "launch" where
// its kernels are shorter than what it takes to start them.
[[nodiscard]] std::string_view bound_by(const LayerQuery& query, const Conditions& conditions);

// Memory traffic of the update of this layer's weights.
[[nodiscard]] PassWork optimizer_work(const LayerQuery& query, const Conditions& conditions);

}  // namespace layersim
