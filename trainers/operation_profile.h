#pragma once
// Times of the operations of a step, as profilers of frameworks tell them, by classes that the parts of a run
// model fall into. Whole steps alone do not tell how long their poolings take beside their convolutions:
// networks have them in nearly the same ratio.

#include <array>
#include <optional>
#include <string_view>

#include "sim/predictors/step_parts.h"

namespace layersim {

enum class StepOperation : unsigned char {
  conv_forward,  // with bias and activation, which frameworks fuse
  conv_input_gradient,
  conv_weight_gradient,
  depthwise_forward,  // convolutions of each channel by itself have kernels of their own
  depthwise_input_gradient,
  depthwise_weight_gradient,
  batch_norm_forward,
  batch_norm_gradient,
  activation_gradient,
  pool,  // both passes
  product,
};
inline constexpr std::size_t kStepOperations = 11;
// In ms of one step; 0: not told. The absolute times are those of a step under the profiler.
using OperationTimes = std::array<double, kStepOperations>;

// Columns of a table of runs, in the order of the classes.
inline constexpr std::array<std::string_view, kStepOperations> kOperationColumns{
    "conv_forward_ms",
    "conv_input_gradient_ms",
    "conv_weight_gradient_ms",
    "depthwise_forward_ms",
    "depthwise_input_gradient_ms",
    "depthwise_weight_gradient_ms",
    "batch_norm_forward_ms",
    "batch_norm_gradient_ms",
    "activation_gradient_ms",
    "pool_ms",
    "product_ms"};

// Nothing for a part that belongs to none.
[[nodiscard]] std::optional<StepOperation> step_operation(const StepPart& part);

}  // namespace layersim
