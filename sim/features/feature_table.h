#pragma once
// The features of a network's layers as text, to look at or to learn from elsewhere.

#include <string>

#include "sim/decompose/decompose.h"
#include "sim/features/conditions.h"

namespace layersim {

// CSV with one line a layer and feature: index,name,family,feature,value,unit. The family's own features come
// first, then its physical terms ("term:memory"), then those of the device. Layers of kinds that no family
// covers have none.
[[nodiscard]] std::string feature_table(const Network& network, const Conditions& conditions);

}  // namespace layersim
