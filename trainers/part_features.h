#pragma once
// Which features of a part the networks of run models look at. Runs are of few networks: what tells one
// convolution of single layers from another (how sizes fill tiles, divide, fold into FFTs) there tells one
// network from another, and misleads about the next. On three splits of the TensorFlow runs, trained on these
// alone, networks left out had 10.2 % with all features and 7.8 % with these.

#include <string_view>

#include "sim/features/feature_family.h"

namespace layersim {

[[nodiscard]] bool is_learned_from_runs(const FeatureFamily& family, std::string_view feature);

}  // namespace layersim
