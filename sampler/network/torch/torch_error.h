#pragma once
// What libtorch throws, as an error of this program.

#include <c10/util/Exception.h>

#include "sim/core/error.h"

namespace layersim {

// nothing_predicted with the first line of the message; memory that does not suffice is said in plain words.
[[nodiscard]] Error torch_error(const c10::Error& error);

}  // namespace layersim
