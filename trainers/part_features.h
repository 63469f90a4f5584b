#pragma once
// Which features of a part the networks of run models look at. Runs are of few networks: what tells one
// convolution of single layers from another (whether sizes are odd, how channels fill tiles) there tells one
// network from another, and misleads about the next. Waves, Winograd's tiles and the lengths of FFTs are
// worth it where profiles tell a step's convolutions and gradients apart: in four splits of the TensorFlow
// runs by networks and image size 6.9 % with them and 7.2 without; odd sizes made it 7.7.

#include <string_view>

#include "sim/features/feature_family.h"

namespace layersim {

[[nodiscard]] bool is_learned_from_runs(const FeatureFamily& family, std::string_view feature);

}  // namespace layersim
