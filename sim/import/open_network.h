#pragma once
// What a user may name as a network: a file, or one of the zoo.

#include <string>

#include "sim/core/warnings.h"
#include "sim/graph/infer_shapes.h"

namespace layersim {

// Throws bad_use, with the nearest names of the zoo, when it is neither, and bad_input for the name of a file
// that is not there, or of a folder.
void check_network(const std::string& name);

// The network. Throws as check_network does, and what importer.h tells.
[[nodiscard]] Graph open_network(const std::string& name, Warnings& warnings,
                                 const ShapeBindings& bindings = {});

}  // namespace layersim
