#pragma once
// The numbers that a trained network sees of one measured or asked-for layer. Layer kinds whose times follow
// the same physics share a family (dense and matmul, say), and with it one network.
//
// A family gives two things for a layer under conditions: features, and a few physical terms, the logarithms
// of times in ms that the device sheet allows for the parts of the work (launch, arithmetic, memory traffic,
// optimizer update ...). The network answers with one log factor o_k per term, and the time is sum_k exp(o_k
// + log term_k): so it learns efficiencies, and stays sensible on devices and sizes that it never saw. The
// features that tell devices and stacks apart by name are not part of a family; they are appended by
// TrainedNetwork.

#include <span>
#include <string_view>

#include "sim/features/conditions.h"
#include "sim/features/layer_query.h"

namespace layersim {

// The part of a step that a time covers.
enum class Pass : unsigned char { forward, training, backward, backward_data, backward_weight };
[[nodiscard]] std::string_view name(Pass pass);

// Log of a term that is absent.
inline constexpr float kNoTerm = -30.0F;

struct DeviceNumbers;

struct FeatureQuery {
  LayerQuery layer;
  Pass pass = Pass::forward;
  // The benchmark declared its input and target as trainable, so that the optimizer updates them too.
  bool updates_activations = false;
  // Where in its measuring campaign a row stands, from 0 (first) to 1, if the host time grew during it; 0 for
  // a fresh process, as a user's is.
  double campaign_position = 0;
  // An activation right behind a convolution or a product, which some stacks run as one kernel.
  bool follows_product = false;
};

struct FeatureSpec {
  std::string_view name;  // snake_case, "log_" for natural logarithms
  std::string_view unit;  // of the number, before the logarithm
};

struct FeatureFamily {
  std::string_view name;  // "conv"
  std::span<const FeatureSpec> features;
  std::span<const std::string_view> terms;  // two or more; the first is the launch
  bool (*covers)(const Problem& problem);
  // Writes features.size() and terms.size() numbers. Fast: no allocation, no text.
  void (*fill)(const FeatureQuery& query, const DeviceNumbers& device, float* features, float* log_terms_ms);
};

// In the order of the list in CMakeLists.txt.
[[nodiscard]] std::span<const FeatureFamily* const> feature_families();
// The first that covers the problem; nullptr when none does.
[[nodiscard]] const FeatureFamily* find_feature_family(const Problem& problem);
[[nodiscard]] const FeatureFamily* find_feature_family(std::string_view name);

}  // namespace layersim
