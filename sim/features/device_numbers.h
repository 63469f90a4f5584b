#pragma once
// The device under given conditions, as numbers for features and physical terms. Made once for a batch of
// layers.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/features/feature_family.h"

namespace layersim {

struct DeviceNumbers {
  DeviceNumbers(const Conditions& conditions);  // NOLINT(google-explicit-constructor)

  double matrix_flop_per_ms = 0;  // of products at the conditions' precision
  double vector_flop_per_ms = 0;
  double bytes_per_ms = 0;
  double multiprocessors = 0;
  std::int64_t multiprocessor_count = 0;
  double l2_bytes = 0;
  double memory_bytes = 0;
  double element_bytes = 0;
  OptimizerCost optimizer;
  bool has_optimizer = false;
};

// What a network sees of the device: all that follows, or what carries over to other devices
// (transferable_features.h).
enum class DeviceView : unsigned char { full, transferable };

// Features of device, precision and optimizer, the same for all families, in a fixed order; they follow a
// family's own.
[[nodiscard]] std::span<const FeatureSpec> device_feature_specs();
// How many of them, the first, tell the device apart; the rest are precision and optimizer.
[[nodiscard]] std::size_t identity_feature_count();
[[nodiscard]] std::vector<float> device_features(const Conditions& conditions);
// Those of a view, then a one-hot for each of these devices and stacks ("tf*": all that begin so): what all
// rows under the same conditions share.
[[nodiscard]] std::vector<float> shared_features(const Conditions& conditions, DeviceView view,
                                                 std::span<const std::string> gpus,
                                                 std::span<const std::string> stacks);

}  // namespace layersim
