#pragma once
// How a family spells its features once and gets both the names and the fast path: it calls its sink for each
// feature in a fixed order with name, unit and value. NameSink keeps the names, ValueSink the values.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "sim/features/feature_family.h"

namespace layersim {

class ValueSink {
 public:
  explicit ValueSink(float* out) : out_(out) {}
  void add(std::string_view /*name*/, std::string_view /*unit*/, float value) { *out_++ = value; }
  // The same for one of several features with a common name: "kernel_is_3".
  void add(std::string_view /*name*/, int /*suffix*/, std::string_view /*unit*/, float value) {
    *out_++ = value;
  }

 private:
  float* out_;
};

class NameSink {
 public:
  void add(std::string_view name, std::string_view unit, float /*value*/) {
    specs_.push_back({names_.emplace_back(name), unit});
  }
  void add(std::string_view name, int suffix, std::string_view unit, float /*value*/) {
    specs_.push_back({names_.emplace_back(std::string(name) + std::to_string(suffix)), unit});
  }
  [[nodiscard]] const std::vector<FeatureSpec>& specs() const { return specs_; }

 private:
  std::deque<std::string> names_;  // keeps its elements in place
  std::vector<FeatureSpec> specs_;
};

// Natural logarithm, of at least 1e-12.
[[nodiscard]] inline float safe_log(double x) { return std::log(std::max(1e-12F, static_cast<float>(x))); }

[[nodiscard]] inline float limited(float x, float low, float high) {
  return std::min(std::max(x, low), high);
}

// Share of the last tile that is used: x over x rounded up to a multiple of `tile`.
[[nodiscard]] inline float occupancy(std::int64_t x, std::int64_t tile) {
  if (x <= 0 || tile <= 0) return 1;
  const std::int64_t rounded_up = (x + tile - 1) / tile * tile;
  return static_cast<float>(x) / static_cast<float>(rounded_up);
}

[[nodiscard]] inline std::int64_t tiles(std::int64_t x, std::int64_t tile) { return (x + tile - 1) / tile; }

[[nodiscard]] inline float flag(bool condition) { return condition ? 1.0F : 0.0F; }

}  // namespace layersim
