#pragma once
// Fits a regression to runs: of each kind of formula (regression_terms.h) sequential forward selection
// chooses the terms by the relative errors on rows left out, and the simplest kind remains whose error on
// rows that none of this has seen is within one standard error of the least.

#include <functional>
#include <string>
#include <vector>

#include "sim/methods/common/error_table.h"
#include "sim/methods/regression/regression_model.h"
#include "sim/methods/regression/regression_table.h"

namespace layersim {

// What cross-validation leaves out together: it should be what the predictor is to be used for.
struct LeftOut {
  enum class What : unsigned char { configuration, network, family, gpu, value };
  What what = What::configuration;
  std::string feature = {};  // of What::value: rows that have the same value of it
};
// "configuration", "network", "family", "gpu", or a feature's name. Throws bad_use.
[[nodiscard]] LeftOut parse_left_out(const RegressionTable& table, const std::string& text);
[[nodiscard]] std::string name(const LeftOut& left_out);

// The number of each row's part, from 0; at most `most` parts, groups dealt out at random. Throws bad_use for
// less than two.
[[nodiscard]] std::vector<int> divide(const RegressionTable& table, const LeftOut& left_out, int most,
                                      std::uint64_t seed);

// Error and interval are those of rows that neither the fit nor the choice of terms has seen: each part in
// turn is predicted by a formula chosen and fitted on the others. Where there are less than three of what is
// to be left out, it is single configurations. Throws bad_input for less than 10 rows, and bad_use where the
// rows are not enough to leave some out.
[[nodiscard]] RegressionModel fit_regression(const RegressionTable& table, const LeftOut& left_out,
                                             std::uint64_t seed);

// Each part of the rows predicted by a model of the others, whose own cross-validation leaves out the like.
// Keys gpu, network; baselines as in plain_models.h.
[[nodiscard]] ErrorTable evaluate_regression_left_out(const RegressionTable& table, const LeftOut& left_out,
                                                      std::uint64_t seed,
                                                      const std::function<void(int part, int parts)>& report);
// The rows with the largest values of a feature (a fifth of its values, one at least), or of each family the
// networks with the most layers, predicted by a model of the rest.
[[nodiscard]] ErrorTable evaluate_extrapolation(const RegressionTable& table, const std::string& feature,
                                                std::uint64_t seed);
// By a trained model, which may have seen the rows.
[[nodiscard]] ErrorTable evaluate_regression(const RegressionTable& table, const RegressionModel& model);

}  // namespace layersim
