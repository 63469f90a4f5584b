#pragma once
// What `layersim regression` is given: one table of runs, or of other rows, and a predictor.

#include <string>
#include <vector>

#include "sim/cli/command_line.h"
#include "sim/methods/regression/regression_table.h"

namespace layersim {

// The word after the subcommand. Throws bad_use where there is none, or more than one.
[[nodiscard]] const std::string& only_regression_table(const Arguments& given);

// The rows of it, by --features, --target and --gpu-file. `read_by_predictor`: see ColumnChoice.
[[nodiscard]] RegressionTable read_regression_rows(const Arguments& given, bool needs_target,
                                                   const std::vector<std::string>& read_by_predictor = {});

// --predictor, or the one that comes along.
[[nodiscard]] std::string regression_predictor_file(const Arguments& given);

}  // namespace layersim
