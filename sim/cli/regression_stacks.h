#pragma once
// Software that a table of runs names and that somebody does not know.

#include <functional>
#include <string>

#include "sim/methods/regression/regression_model.h"
#include "sim/methods/regression/regression_table.h"

namespace layersim {

// The stacks of the rows that are not known, each with its lines: "zz (lines 2, 3, 4 and 12 others), yy (line
// 9)". Empty where all are known; rows that name none do not count.
[[nodiscard]] std::string describe_unknown_stacks(const RegressionTable& table,
                                                  const std::function<bool(const std::string&)>& is_known);

// What to say of the stacks in the table `file` that the formula was not fitted to; empty where there are
// none.
[[nodiscard]] std::string warn_of_unfitted_stacks(const std::string& file, const RegressionTable& table,
                                                  const RegressionModel& model);

}  // namespace layersim
