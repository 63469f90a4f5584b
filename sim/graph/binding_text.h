#pragma once
// What a network file leaves open, bound by text: "seq=512", "tokens=8x512".

#include <string>

#include "sim/graph/infer_shapes.h"

namespace layersim {

// `text` is NAME=N. `option` ("--dim") is named in errors. Throws bad_use, also for a name that is bound
// already.
void bind_dim(ShapeBindings& bindings, const std::string& option, const std::string& text);
// `text` is NAME=1x3x224x224, or the shape alone for the only input.
void bind_input(ShapeBindings& bindings, const std::string& option, const std::string& text);

}  // namespace layersim
