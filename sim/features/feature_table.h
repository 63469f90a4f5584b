#pragma once
// The features of a network's layers as text, to look at or to learn from elsewhere.

#include <string>

#include "sim/decompose/decompose.h"
#include "sim/features/conditions.h"

namespace layersim {

// CSV with one line a layer and feature: index,name,kind,feature,value,unit. Layers without a model have
// none.
[[nodiscard]] std::string feature_table(const Network& network, const Conditions& conditions);

}  // namespace layersim
