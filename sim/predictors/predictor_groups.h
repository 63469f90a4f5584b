#pragma once
// The groups of a predictor file (predictor_file.h): what is in memory to and from arrays and texts.

#include "sim/predictors/run_model.h"
#include "sim/store/array_file.h"

namespace layersim {

// Reading throws bad_input naming the array or text that is missing or has other sizes than the rest, and for
// a network whose features are not those of this program.
[[nodiscard]] ArrayGroup write_network(const TrainedNetwork& network);
[[nodiscard]] TrainedNetwork read_network(const ArrayGroup& group);

// Without the networks.
[[nodiscard]] ArrayGroup write_runs(const RunModel& model);
[[nodiscard]] RunModel read_runs(const ArrayGroup& group);
// The stacks of its specialists, which have groups of their own.
[[nodiscard]] std::vector<std::string> specialists_of(const ArrayGroup& group);

}  // namespace layersim
