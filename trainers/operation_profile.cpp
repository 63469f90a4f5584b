#include "trainers/operation_profile.h"

namespace layersim {
namespace {

bool is_batch_norm(const Problem& problem) {
  static const LayerKind* const kNorm = find_layer_kind("norm");
  return problem.kind == kNorm && problem.size("function") == 0;
}

StepOperation class_of_convolution(const StepPart& part) {
  const std::int64_t groups = part.problem.size("groups");
  const bool is_depthwise = groups > 1 && groups == part.problem.size("in_channels");
  if (part.pass == Pass::backward_data)
    return is_depthwise ? StepOperation::depthwise_input_gradient : StepOperation::conv_input_gradient;
  if (part.pass == Pass::backward_weight)
    return is_depthwise ? StepOperation::depthwise_weight_gradient : StepOperation::conv_weight_gradient;
  return is_depthwise ? StepOperation::depthwise_forward : StepOperation::conv_forward;
}

}  // namespace

std::optional<StepOperation> step_operation(const StepPart& part) {
  static const FeatureFamily* const kConv = find_feature_family("conv");
  static const FeatureFamily* const kGemm = find_feature_family("gemm");
  static const LayerKind* const kActivation = find_layer_kind("activation");
  static const LayerKind* const kPool = find_layer_kind("pool");
  if (part.family == kConv) return class_of_convolution(part);
  if (part.family == kGemm) return StepOperation::product;
  if (part.problem.kind == kActivation)
    return part.backward ? StepOperation::activation_gradient : StepOperation::conv_forward;
  if (part.problem.kind == kPool) return StepOperation::pool;
  if (is_batch_norm(part.problem))
    return part.backward ? StepOperation::batch_norm_gradient : StepOperation::batch_norm_forward;
  return std::nullopt;
}

}  // namespace layersim
