#include "sim/methods/common/error_table.h"

#include <cmath>
#include <map>

#include "sim/core/csv_text.h"
#include "sim/report/readable_text.h"
#include "sim/report/text_table.h"

namespace layersim {
namespace {

MethodErrors measure(const ErrorTable& table, const std::vector<std::string>& keys,
                     const std::vector<std::size_t>& rows) {
  std::vector<double> measured;
  std::vector<double> predicted;
  std::vector<Interval> intervals;
  for (const std::size_t i : rows) {
    measured.push_back(table.rows[i].measured_ms);
    predicted.push_back(table.rows[i].predicted_ms);
    intervals.push_back(table.rows[i].interval_ms);
  }
  MethodErrors group{keys, measure_errors(measured, predicted, intervals), {}};
  for (std::size_t b = 0; b < table.baselines.size(); ++b) {
    std::vector<double> baseline;
    for (const std::size_t i : rows) baseline.push_back(table.rows[i].baselines_ms[b]);
    group.baselines.push_back(measure_errors(measured, baseline, {}));
  }
  return group;
}

Json number(double value) { return std::isnan(value) ? Json(nullptr) : Json(value); }

Json measures(const ErrorMeasures& errors) {
  return {{"n", errors.n},
          {"mape", number(errors.mape)},
          {"median_ape", number(errors.median_ape)},
          {"rmse_ms", number(errors.rmse_ms)},
          {"pearson", number(errors.pearson)},
          {"spearman", number(errors.spearman)}};
}

Json as_json(const ErrorTable& table, const MethodErrors& group, std::size_t first_key) {
  Json json = Json::object();
  for (std::size_t k = 0; k < group.keys.size(); ++k) json[table.keys[first_key + k]] = group.keys[k];
  json.update(measures(group.errors));
  json["coverage90"] = number(group.errors.coverage90);
  for (std::size_t b = 0; b < table.baselines.size(); ++b)
    json[table.baselines[b]] = measures(group.baselines[b]);
  return json;
}

std::string percent_number(double share) { return std::isnan(share) ? "" : short_number(100 * share); }

void add_group(TextTable& text, std::vector<std::string> cells, const MethodErrors& group) {
  const ErrorMeasures& errors = group.errors;
  cells.insert(cells.end(), {with_thousands(static_cast<double>(errors.n)), percent_number(errors.mape),
                             percent_number(errors.median_ape), short_number(errors.rmse_ms),
                             std::isnan(errors.coverage90) ? "" : percent(errors.coverage90)});
  for (const ErrorMeasures& baseline : group.baselines) {
    cells.push_back(percent_number(baseline.mape));
    cells.push_back(short_number(baseline.rmse_ms));
  }
  text.add_row(std::move(cells));
}

std::string text_of(const ErrorTable& table, std::size_t first, std::size_t last, bool with_overall,
                    std::size_t width) {
  std::vector<TextColumn> columns;
  for (std::size_t k = first; k < last; ++k) columns.push_back({.header = table.keys[k]});
  columns.push_back({.header = "rows", .right = true});
  columns.push_back({.header = "error %", .right = true});
  columns.push_back({.header = "median %", .right = true, .importance = 2});
  columns.push_back({.header = "RMSE ms", .right = true});
  columns.push_back({.header = "in 90 %", .right = true, .importance = 3});
  for (std::string name : table.baselines) {
    for (char& c : name) c = c == '_' ? ' ' : c;
    columns.push_back({.header = name + " %", .right = true, .importance = 4});
    columns.push_back({.header = "RMSE ms", .right = true, .importance = 1});
  }
  TextTable text(std::move(columns));
  text.add_rule();
  for (const MethodErrors& group : group_rows(table, first, last)) add_group(text, group.keys, group);
  text.add_rule();
  if (with_overall) {
    std::vector<std::string> cells(last - first);
    cells.front() = "all";
    add_group(text, std::move(cells), group_rows(table, 0, 0).front());
    text.add_rule();
  }
  return text.to_text(width);
}

}  // namespace

std::vector<MethodErrors> group_rows(const ErrorTable& table, std::size_t first, std::size_t last) {
  std::map<std::vector<std::string>, std::vector<std::size_t>> rows;
  if (first == last) rows[{}];
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const auto& keys = table.rows[i].keys;
    rows[{keys.begin() + static_cast<std::ptrdiff_t>(first),
          keys.begin() + static_cast<std::ptrdiff_t>(last)}]
        .push_back(i);
  }
  std::vector<MethodErrors> groups;
  for (const auto& [keys, members] : rows) groups.push_back(measure(table, keys, members));
  return groups;
}

Json error_table_json(const ErrorTable& table) {
  Json json;
  json["overall"] = as_json(table, group_rows(table, 0, 0).front(), 0);
  const auto list = [&](const std::string& name, std::size_t first, std::size_t last) {
    Json& groups = json[name] = Json::array();
    for (const MethodErrors& group : group_rows(table, first, last))
      groups.push_back(as_json(table, group, first));
  };
  list("groups", 0, table.group_keys);
  for (std::size_t k = table.group_keys; k < table.keys.size(); ++k) list(table.keys[k] + 's', k, k + 1);
  return json;
}

std::string error_table_text(const ErrorTable& table, std::size_t width) {
  std::string text = text_of(table, 0, table.group_keys, true, width);
  for (std::size_t k = table.group_keys; k < table.keys.size(); ++k)
    text += '\n' + text_of(table, k, k + 1, false, width);
  return text;
}

std::string error_table_csv(const ErrorTable& table) {
  std::string text;
  {
    CsvLine line(text);
    for (const std::string& key : table.keys) line.add(key);
    for (const char* name : {"measured_ms", "predicted_ms", "low_ms", "high_ms"}) line.add(name);
    for (const std::string& name : table.baselines) line.add(name + "_ms");
  }
  for (const ErrorRow& row : table.rows) {
    CsvLine line(text);
    for (const std::string& key : row.keys) line.add(key);
    for (const double value : {row.measured_ms, row.predicted_ms, row.interval_ms.low, row.interval_ms.high})
      line.add(value);
    for (const double value : row.baselines_ms) line.add(value);
  }
  return text;
}

}  // namespace layersim
