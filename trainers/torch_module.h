#pragma once
// The trainer that uses libtorch, loaded from its module when it is asked for.

#include "trainers/dense_trainer.h"
#include "trainers/run_trainer.h"
#include "trainers/trainer.h"

namespace layersim {

// nullptr when the program was built or installed without it. Throws bad_use with the loader's message when
// it is there but cannot be loaded.
[[nodiscard]] bool has_torch_trainer();  // without loading it
[[nodiscard]] const Trainer* load_torch_trainer();
// The same for runs.
[[nodiscard]] const RunTrainer* load_torch_run_trainer();
// The same for dense networks of the methods.
[[nodiscard]] const DenseTrainer* load_torch_dense_trainer();

}  // namespace layersim
