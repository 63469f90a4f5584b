#pragma once
// What of a question the measured runs did not have. How far off an answer may be follows from it.

#include <compare>
#include <cstdint>
#include <optional>

#include "layers/layer_kind.h"

namespace layersim {

// Sizes of the weights of a convolution, or of a dense layer as a convolution of one point. They tell the
// layers of one architecture from those of another, whatever the batch and the size of the images.
struct WeightShape {
  std::int64_t out_channels = 0;
  std::int64_t in_channels = 0;
  std::int64_t groups = 1;
  std::int64_t kernel_d = 1;
  std::int64_t kernel_h = 1;
  std::int64_t kernel_w = 1;
  std::int64_t stride = 1;

  auto operator<=>(const WeightShape& other) const = default;  // NOLINT(modernize-use-nullptr): not the 0
};
// Nothing for kinds that are no product with weights.
[[nodiscard]] std::optional<WeightShape> weight_shape(const Problem& problem);

// Times of the layers of a step, in ms.
struct LayersTime {
  double ms = 0;
  double outside_ms = 0;       // outside the trained range
  double new_weights_ms = 0;   // with weights of sizes that no run on the device has
  double new_to_stack_ms = 0;  // of families of layers that no run with the stack has
};

enum class RunNovelty : unsigned char {
  none,    // device and layers were measured, in other networks at least
  layers,  // more than a twentieth of the time is in layers with new sizes of weights or outside the trained
           // range
  device,  // the device or the precision; or most of the time is outside the trained range
};
[[nodiscard]] RunNovelty run_novelty(const LayersTime& layers, bool is_measured);
// Whether the stack's own runs tell little of these layers: more than a twentieth of the time is new to it.
[[nodiscard]] bool is_new_to_stack(const LayersTime& layers);

}  // namespace layersim
