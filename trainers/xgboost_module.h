#pragma once
// The trainer that uses XGBoost, loaded from its module when it is asked for.

#include "trainers/tree_trainer.h"

namespace layersim {

// Throws bad_use when the program was built or installed without it, or when it cannot be loaded.
[[nodiscard]] const TreeTrainer& load_tree_trainer();

}  // namespace layersim
