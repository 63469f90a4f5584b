#include "sim/zoo/zoo.h"

#include <cmath>
#include <string>
#include <vector>

#include "sim/core/error.h"
#include "sim/zoo/blocks.h"

namespace layersim {
namespace zoo {
// Each family's file defines its list.
#define LAYERSIM_ENTRY(family) std::vector<ZooNetwork> family##_networks();
#include "zoo_families.inc"
#undef LAYERSIM_ENTRY
}  // namespace zoo

std::span<const ZooNetwork> zoo_networks() {
  static const std::vector<ZooNetwork> kNetworks = [] {
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
  return kNetworks;
}

std::int64_t ZooVariant::channels(std::int64_t plain, std::int64_t divisor) const {
  if (width == 1) return plain;
  const std::int64_t rounded = zoo::round_channels(width * static_cast<double>(plain));
  return (rounded + divisor - 1) / divisor * divisor;
}

int ZooVariant::layers(int plain) const { return static_cast<int>(std::ceil(depth * plain)); }

void ZooVariant::check_no_images(std::string_view network) const {
  if (resolution) throw bad_use("'" + std::string(network) + "' reads no images and has no resolution");
}

Graph ZooNetwork::build(const ZooVariant& variant) const {
  if (const auto* plain = std::get_if<Graph (*)()>(&make)) {
    if (!variant.is_plain()) throw bad_use("'" + std::string(name) + "' comes in one size");
    return (*plain)();
  }
  return std::get<Graph (*)(const ZooVariant&)>(make)(variant);
}

const ZooNetwork* find_zoo_network(std::string_view name) {
  for (const ZooNetwork& network : zoo_networks()) {
    if (network.name == name) return &network;
  }
  return nullptr;
}

}  // namespace layersim
