#pragma once
// Well-known networks in training form (batch norms in place), built from code, so that a study can start
// without any file.

#include <span>
#include <string>
#include <string_view>

#include "sim/graph/graph.h"

namespace layersim {

struct ZooNetwork {
  std::string_view name;     // "vgg16"
  std::string_view family;   // "vgg"
  std::string_view summary;  // "VGG-16 (Simonyan & Zisserman 2014), 1000 classes, 224x224"
  Graph (*build)();
};

[[nodiscard]] std::span<const ZooNetwork> zoo_networks();
// nullptr when there is none of that name (lower case).
[[nodiscard]] const ZooNetwork* find_zoo_network(std::string_view name);
// {"schema_version": 1, "networks": [{"name", "family", "summary"}]}
[[nodiscard]] std::string zoo_json();

}  // namespace layersim
