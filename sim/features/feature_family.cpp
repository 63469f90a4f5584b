#include "sim/features/feature_family.h"

#include <array>

namespace layersim {

#define LAYERSIM_ENTRY(family) const FeatureFamily& feature_family_##family();
#include "feature_families.inc"
#undef LAYERSIM_ENTRY

std::string_view name(Pass pass) {
  constexpr std::array<std::string_view, 5> kNames{"forward", "training", "backward", "backward_data",
                                                   "backward_weight"};
  return kNames.at(static_cast<std::size_t>(pass));
}

std::span<const FeatureFamily* const> feature_families() {
  static const std::array kFamilies{
#define LAYERSIM_ENTRY(family) &feature_family_##family(),
#include "feature_families.inc"
#undef LAYERSIM_ENTRY
  };
  return kFamilies;
}

const FeatureFamily* find_feature_family(const Problem& problem) {
  if (problem.kind == nullptr) return nullptr;
  for (const FeatureFamily* family : feature_families()) {
    if (family->covers(problem)) return family;
  }
  return nullptr;
}

const FeatureFamily* find_feature_family(std::string_view name) {
  for (const FeatureFamily* family : feature_families()) {
    if (family->name == name) return family;
  }
  return nullptr;
}

}  // namespace layersim
