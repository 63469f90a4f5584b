#pragma once
// Conditions of runs that somebody does not know: software, precision, mode, optimizer.

#include <functional>
#include <string>
#include <vector>

#include "sim/methods/regression/regression_model.h"
#include "sim/methods/regression/regression_table.h"

namespace layersim {

// The stacks of the rows that are not known, each with its lines: "zz (lines 2, 3, 4 and 12 others), yy (line
// 9)". Empty where all are known; rows that name none do not count.
[[nodiscard]] std::string describe_unknown_stacks(const RegressionTable& table,
                                                  const std::function<bool(const std::string&)>& is_known);

// What to say of stacks, precisions and modes that the formula was not fitted to. `what`: the table's file,
// or the network that is its only row. Nothing of what the predictor's file does not tell.
[[nodiscard]] std::vector<std::string> warn_of_unfitted(const std::string& what, const RegressionTable& table,
                                                        const RegressionModel& model);

}  // namespace layersim
