#include "sim/zoo/zoo.h"

#include <vector>

namespace layersim {
namespace zoo {
// Each family's file defines its list.
#define LAYERSIM_ENTRY(family) std::vector<ZooNetwork> family##_networks();
#include "zoo_families.inc"
#undef LAYERSIM_ENTRY
}  // namespace zoo

std::span<const ZooNetwork> zoo_networks() {
  static const std::vector<ZooNetwork> networks = [] {
    std::vector<ZooNetwork> all;
    for (const auto family : {
#define LAYERSIM_ENTRY(family) zoo::family##_networks,
#include "zoo_families.inc"
#undef LAYERSIM_ENTRY
         }) {
      const std::vector<ZooNetwork> members = family();
      all.insert(all.end(), members.begin(), members.end());
    }
    return all;
  }();
  return networks;
}

const ZooNetwork* find_zoo_network(std::string_view name) {
  for (const ZooNetwork& network : zoo_networks()) {
    if (network.name == name) return &network;
  }
  return nullptr;
}

}  // namespace layersim
