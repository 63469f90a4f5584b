#pragma once
// The trainers by name.

#include <string>
#include <string_view>

#include "trainers/trainer.h"

namespace layersim {

// "libtorch, tiny_dnn, linear": those that this program can run, the best first.
[[nodiscard]] std::string trainer_names();
// The empty name: the best that there is. Throws bad_use with the names when there is none of that name, or
// when it needs a module that is not installed.
[[nodiscard]] const Trainer& find_trainer(std::string_view name);

}  // namespace layersim
