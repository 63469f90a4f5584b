#pragma once
// Options about several GPUs.

#include "sim/cli/command_line.h"
#include "sim/parallel/parallel_step.h"

namespace layersim {

[[nodiscard]] options::options_description parallel_option_group();
[[nodiscard]] ParallelOptions read_parallel_options(const Arguments& arguments);

}  // namespace layersim
