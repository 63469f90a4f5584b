#pragma once
// The forward method of a module as a TorchProgram: calls are written out in place, attributes become what
// they hold. Nothing is run.

#include "sim/import/torchscript/program.h"
#include "sim/import/torchscript/reader/archive.h"

namespace layersim {

// Throws bad_input when there is no forward method, or calls nest too deep or make too many nodes.
[[nodiscard]] TorchProgram flatten(const torch::jit::Module& module, TorchArchive& archive);

}  // namespace layersim
