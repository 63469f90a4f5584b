#pragma once
// Predicted against measured runs in every format.

#include <string>
#include <vector>

#include "sim/runs/run_checks.h"
#include "sim/runs/validation.h"

namespace layersim {

struct ValidationTableOptions {
  int width = 100;
  bool all_runs = false;  // else of a long table those with the largest errors
};

// Text for reading: runs, summaries, checks.
[[nodiscard]] std::string validation_table(const Validation& validation, const std::vector<RunCheck>& checks,
                                           const ValidationTableOptions& options);
// Keys are stable: `runs`, `mape`, `median_ape`, `p90_ape`, `coverage90`, `n`, `groups` and more. Shares are
// fractions.
[[nodiscard]] std::string validation_json(const Validation& validation, const std::vector<RunCheck>& checks);
// The rows of the table with the prediction behind them.
[[nodiscard]] std::string validation_csv(const Validation& validation);
// A test case for each run and for each check, as continuous integration reads it (JUnit XML).
[[nodiscard]] std::string validation_junit(const Validation& validation, const std::vector<RunCheck>& checks);

}  // namespace layersim
