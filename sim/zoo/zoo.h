#pragma once
// Well-known networks in training form (batch norms in place), built from code, so that a study can start
// without any file.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "sim/graph/graph.h"

namespace layersim {

// A network in another size.
struct ZooVariant {
  double width = 1;                        // times as many channels
  double depth = 1;                        // times as many layers of each stage
  std::optional<std::int64_t> resolution;  // of the square input image

  [[nodiscard]] bool is_plain() const { return width == 1 && depth == 1 && !resolution; }
  // Rounded to the nearest multiple of 8, but no more than a tenth below, and to one of `divisor`.
  [[nodiscard]] std::int64_t channels(std::int64_t plain, std::int64_t divisor = 1) const;
  [[nodiscard]] int layers(int plain) const;  // rounded up
  [[nodiscard]] std::int64_t size(std::int64_t plain) const { return resolution.value_or(plain); }
  // For networks that read something else. Throws bad_use where a resolution is asked for.
  void check_no_images(std::string_view network) const;
};

struct ZooNetwork {
  std::string_view name;     // "vgg16"
  std::string_view family;   // "vgg"
  std::string_view summary;  // "VGG-16 (Simonyan & Zisserman 2014), 1000 classes, 224x224"
  // Of a family that comes in one size, or in all.
  std::variant<Graph (*)(), Graph (*)(const ZooVariant&)> make;

  // Throws bad_use for another size of a family that comes in one.
  [[nodiscard]] Graph build(const ZooVariant& variant = {}) const;
};

[[nodiscard]] std::span<const ZooNetwork> zoo_networks();
// nullptr when there is none of that name (lower case).
[[nodiscard]] const ZooNetwork* find_zoo_network(std::string_view name);
// {"schema_version": 1, "networks": [{"name", "family", "summary"}]}
[[nodiscard]] std::string zoo_json();

}  // namespace layersim
