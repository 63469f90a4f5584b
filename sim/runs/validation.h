#pragma once
// Predicted against measured runs.

#include <optional>
#include <string>
#include <vector>

#include "sim/predictors/predictor.h"
#include "sim/runs/blame.h"
#include "sim/runs/run_table.h"

namespace layersim {

// Errors are shares: 0.05 is 5 %.
struct RunResult {
  std::size_t run = 0;        // index into the table
  std::string not_predicted;  // why; empty: it is, and the following hold
  Precision precision = Precision::fp32;
  double predicted_ms = 0;
  std::optional<Interval> interval_ms;  // 90 %
  double ape = 0;                       // abs(predicted - measured) / measured
  std::size_t estimated_layers = 0;     // of kinds that the predictor has not learned
  std::size_t unmodelled_layers = 0;    // of operators without a model
  std::optional<Blame> blame;           // where the table has times of the run's layers

  [[nodiscard]] bool is_predicted() const { return not_predicted.empty(); }
};

// Over the runs that are predicted; all 0 where there are none.
struct ErrorSummary {
  std::size_t n = 0;
  double mape = 0;
  double median_ape = 0;
  double p90_ape = 0;
  // Share of runs that lie within their interval; nothing where no run has one.
  std::optional<double> coverage90;
};

struct ErrorGroup {
  std::string by;     // "gpu", "stack", "mode" or "network"
  std::string value;  // empty: a stack that is not told
  ErrorSummary errors;
};

struct Validation {
  RunTable table;
  std::string method;
  std::vector<RunResult> results;  // parallel to table.runs
  ErrorSummary overall;
  std::vector<ErrorGroup> groups;  // by gpu, then by stack, mode and network, each in alphabetical order

  [[nodiscard]] const Run& run_of(const RunResult& result) const { return table.runs[result.run]; }
};

// Predicts every run as `predict` would. `with_blame`: reads the files of the column `layer_times` too.
// Throws bad_input where a run's network or file of layers cannot be read, or where the predictor does not
// know its stack.
[[nodiscard]] Validation validate_runs(RunTable table, const Predictor& predictor, bool with_blame);

[[nodiscard]] ErrorSummary summarize(const Validation& validation, const std::vector<std::size_t>& results);

}  // namespace layersim
