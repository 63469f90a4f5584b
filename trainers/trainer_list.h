#pragma once
// The trainers by name.

#include <string>
#include <string_view>

#include "trainers/trainer.h"

namespace layersim {

// "libtorch, tiny_dnn, linear": those that this program can run, the best first. Loads none of them.
[[nodiscard]] std::string trainer_names();
// Throws bad_use with the names when there is none of that name. Loads none of them.
void check_trainer(std::string_view name);
// The empty name: the best that there is. Throws as check_trainer() does.
[[nodiscard]] const Trainer& find_trainer(std::string_view name);

}  // namespace layersim
