#pragma once
// The runs that a command of a published method is asked about: a network on a device, named by options.

#include <cstdint>

#include "sim/cli/command_line.h"
#include "sim/runs/run_table.h"

namespace layersim {

// --gpu, --gpu-file, --stack, --mode, --optimizer, --precision.
[[nodiscard]] options::options_description method_run_option_group();
// Throws bad_use for an option that tells of a run, which a table does itself.
void check_no_run_options(const Arguments& given);
// A run of `network`, a file or a name of the zoo, on one device, not measured. Throws bad_use.
[[nodiscard]] Run read_method_run(const Arguments& given, const std::string& network, std::int64_t batch);

}  // namespace layersim
