#pragma once
// A formula of one kind, fitted to rows: sequential forward selection chooses its terms by the relative
// errors on folds left out, and all rows give the coefficients.

#include <vector>

#include "sim/methods/regression/regression_model.h"
#include "sim/methods/regression/regression_table.h"
#include "trainers/methods/regression_terms.h"

namespace layersim {

// Without term for single GPUs where `for_other_gpus`: they tell nothing of another. `folds`: of each row,
// from 0. Only what is read of a formula is set: features, terms, of_logarithm, least_ms.
[[nodiscard]] RegressionModel fit_formula(const RegressionTable& table, const FormulaKind& kind,
                                          const std::vector<int>& folds, bool for_other_gpus);

// The rows of a part, or all others.
[[nodiscard]] RegressionTable rows_of_part(const RegressionTable& table, const std::vector<int>& parts,
                                           int part, bool inside);

// Times in ms, each row's by a formula that neither the choice of its terms nor their coefficients have from
// its fold. `folds`: three or more; two for a kind that does not select.
[[nodiscard]] std::vector<double> cross_predict(const RegressionTable& table, const FormulaKind& kind,
                                                const std::vector<int>& folds, bool for_other_gpus);

}  // namespace layersim
