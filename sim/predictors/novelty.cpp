#include "sim/predictors/novelty.h"

namespace layersim {
namespace {

constexpr double kFew = 0.05;

}  // namespace

std::optional<WeightShape> weight_shape(const Problem& problem) {
  static const LayerKind* const kConv = find_layer_kind("conv");
  static const LayerKind* const kDense = find_layer_kind("dense");
  if (problem.kind == kConv) {
    return WeightShape{problem.size("out_channels"), problem.size("in_channels"), problem.size("groups"),
                       problem.size("kernel_d"),     problem.size("kernel_h"),    problem.size("kernel_w"),
                       problem.size("stride_w")};
  }
  if (problem.kind == kDense)
    return WeightShape{.out_channels = problem.size("out_features"),
                       .in_channels = problem.size("in_features")};
  return std::nullopt;
}

bool is_new_to_stack(const LayersTime& layers) { return layers.new_to_stack_ms > kFew * layers.ms; }

RunNovelty run_novelty(const LayersTime& layers, bool is_measured) {
  constexpr double kMost = 0.5;
  if (!is_measured || layers.outside_ms > kMost * layers.ms) return RunNovelty::device;
  const bool is_new = layers.outside_ms > kFew * layers.ms || layers.new_weights_ms > kFew * layers.ms;
  return is_new ? RunNovelty::layers : RunNovelty::none;
}

}  // namespace layersim
