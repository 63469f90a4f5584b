#pragma once
// TorchScript archive -> neutral graph.

#include <filesystem>

#include "sim/graph/infer_shapes.h"

namespace layersim {

// The archive is never run and its tensors are not read. Loads the module with libtorch; throws bad_use when
// this program has none, or where the shape of an input is not given; bad_input for a damaged archive.
[[nodiscard]] Graph import_torchscript(const std::filesystem::path& file, const ShapeBindings& bindings,
                                       Warnings& warnings);

}  // namespace layersim
