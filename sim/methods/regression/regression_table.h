#pragma once
// Measured runs as numbers: what the linear regression learns from. Two kinds of CSV become one: a table of
// runs as `validate` reads it (run_table.h), whose features come from taking the networks apart and from the
// device sheets, and any other table, whose own columns are the features.

#include <span>
#include <string>
#include <vector>

#include "sim/runs/run_networks.h"

namespace layersim {

struct RegressionRow {
  std::vector<double> features;  // parallel to RegressionTable::features
  double target_ms = 0;          // 0 where the table has no target
  std::string network;           // empty where the table tells none
  // Networks that differ in depth: column `series`, else `family`, else the network's own name.
  std::string family;
  std::string gpu;
  std::string stack;      // of the column `stack` or `framework`
  std::string precision;  // these three of a run, else of the column of that name
  std::string mode;
  std::string optimizer;                      // empty: of a forward pass
  std::string place;                          // "runs.csv: line 7"
  std::vector<std::string> network_warnings;  // of a run
};

struct RegressionTable {
  std::vector<std::string> features;  // "batch", "roofline_ms"; "gpu=k80" is 1 or 0
  std::vector<RegressionRow> rows;

  // Throws bad_use with the names when there is none of that name.
  [[nodiscard]] std::size_t feature(std::string_view name) const;
  // Of the two kinds of table: its features are those of a step.
  [[nodiscard]] bool is_of_runs() const;
};

// Which columns of a table that is none of runs count. Empty: found by their names.
struct ColumnChoice {
  std::vector<std::string> features;
  std::string target;
  bool needs_target = true;  // not where rows are to be predicted
  // Features of the predictor that the rows are for: they tell the kind of table, and which columns are
  // numbers.
  std::vector<std::string> read_by_predictor = {};
};

// `own_devices` are known beside those of the device files. Throws bad_input naming file, line and column;
// bad_use where `choice` does not fit the table.
[[nodiscard]] RegressionTable read_regression_table(const std::string& file, const ColumnChoice& choice,
                                                    const std::vector<Device>& own_devices = {});

// The features of one run under these conditions (a device's share of the batch, its network prepared).
[[nodiscard]] RegressionTable table_of_run(const Run& run, RunNetworks& networks);

// A 0/1 feature for each of several texts that stand in a column: "mode=training". Texts that are the same in
// all rows tell nothing and become none; more than 40 different ones neither.
void add_choices(RegressionTable& table, const std::string& name, std::span<const std::string> texts);
// Puts the features in the order of `features`, whatever the table has of them; a choice ("gpu=k80") that
// the table does not have is 0. Throws bad_input for any other that it lacks.
void arrange_features(RegressionTable& table, const std::vector<std::string>& features);

// The two kinds of table.
[[nodiscard]] RegressionTable read_run_features(const std::string& file, bool needs_target,
                                                const std::vector<Device>& own_devices);
[[nodiscard]] RegressionTable read_column_features(const std::string& file, const ColumnChoice& choice,
                                                   const std::vector<Device>& own_devices);

}  // namespace layersim
