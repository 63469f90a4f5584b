#pragma once
// One network of the zoo in several sizes.

#include <string>
#include <vector>

#include "sim/study/study.h"

namespace layersim {

// The networks by their names in every combination of the sweeps: "width=0.5,0.75,1" (times the channels),
// "depth=1,2" (times the layers of each stage), "resolution=160,224" (of the square input image). Without
// sweeps just the networks. Throws bad_use, which names `subject` ("--sweep"); a sweep of a file, and of a
// network that comes in one size, too. `bindings`: what TorchScript needs to be read.
[[nodiscard]] std::vector<StudyNetwork> sweep_networks(const std::string& subject,
                                                       const std::vector<std::string>& networks,
                                                       const std::vector<std::string>& sweeps,
                                                       const ShapeBindings& bindings = {});

}  // namespace layersim
