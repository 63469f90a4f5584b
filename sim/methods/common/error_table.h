#pragma once
// Measured against predicted times of one of the methods: the tables of `evaluate`, whatever the method's
// rows are.

#include <string>
#include <vector>

#include "sim/core/json.h"
#include "sim/evaluation/error_measures.h"

namespace layersim {

struct ErrorRow {
  std::vector<std::string> keys;  // parallel to ErrorTable::keys
  double measured_ms = 0;
  double predicted_ms = 0;
  Interval interval_ms;
  std::vector<double> baselines_ms;  // parallel to ErrorTable::baselines
};

struct ErrorTable {
  std::vector<std::string> keys;  // what tells rows apart: "anchor", "target", "network"
  std::size_t group_keys = 1;  // the first of them form the groups; by each other there is a table of its own
  std::vector<std::string> baselines;  // their names: "scaled_anchor"
  std::vector<ErrorRow> rows;
};

// Of rows that agree in some keys.
struct MethodErrors {
  std::vector<std::string> keys;  // values; as many as the table groups by
  ErrorMeasures errors;
  std::vector<ErrorMeasures> baselines;
};

// By the keys [first, last), in the order of their values.
[[nodiscard]] std::vector<MethodErrors> group_rows(const ErrorTable& table, std::size_t first,
                                                   std::size_t last);

// Members `overall`, `groups`, and a list for each other key (`networks`).
[[nodiscard]] Json error_table_json(const ErrorTable& table);
[[nodiscard]] std::string error_table_text(const ErrorTable& table, std::size_t width);
// Each row with its prediction.
[[nodiscard]] std::string error_table_csv(const ErrorTable& table);

}  // namespace layersim
