#pragma once
// Problems that somebody asks for, as a CSV file: the columns of measured rows (data/README.md, or layer_kind
// with that kind's parameters), with mode and optimizer, without device and time.

#include <string>
#include <vector>

#include "sampler/sample_problem.h"
#include "sim/core/warnings.h"

namespace layersim {

// Throws bad_input naming file, row and column, also for a problem that no backend can run.
[[nodiscard]] std::vector<SampleProblem> read_problem_list(const std::string& path, Warnings& warnings);

}  // namespace layersim
