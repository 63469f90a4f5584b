#pragma once
// What a formula may be made of. Many terms fit best inside the range of the rows; few that can only add up
// hold further outside.

#include <span>
#include <string_view>
#include <vector>

#include "sim/methods/regression/regression_model.h"
#include "sim/methods/regression/regression_table.h"

namespace layersim {

struct FormulaKind {
  std::string_view name;
  // The constant first; of features that vary in the rows.
  std::vector<Term> (*candidates)(const RegressionTable& table);
  bool of_logarithm = false;
  bool nonnegative = false;  // no coefficient below 0
};

// The time as a sum of features, their inverses, logarithms (where above 0 in all rows) and products of two;
// the same of the logarithm of the time; and the time as a sum of parts that are never negative, namely
// features, features over rates of the device ("conv_gb / bandwidth_gb_s"), and either for some of the rows
// ("kernels * gpu=k80").
[[nodiscard]] std::span<const FormulaKind> formula_kinds();

}  // namespace layersim
