// Any other table: its columns are the features.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

#include "hwdb/device_db.h"
#include "sim/core/error.h"
#include "sim/methods/common/step_features.h"
#include "sim/methods/regression/regression_table.h"
#include "sim/store/column.h"
#include "sim/store/csv_reader.h"
#include "sim/store/table_kind.h"

namespace layersim {
namespace {

using Names = std::vector<std::string>;

// The first of them that the table has is the target.
constexpr const char* kTargets[] = {"measured_ms", "batch_ms", "time_ms", "total_ms",
                                    "total_s",     "epoch_s",  "time_s"};

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

struct Columns {
  Names names;
  std::vector<std::vector<std::string>> rows;
  std::vector<std::size_t> lines;

  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) return {};
    return static_cast<std::size_t>(found - names.begin());
  }
  // Where most cells with something in them are numbers all of them must be. A column with empty cells is one
  // of texts.
  [[nodiscard]] bool is_numeric(std::size_t column) const {
    std::size_t empty = 0;
    std::size_t numbers = 0;
    for (const auto& row : rows) {
      empty += row[column].empty() ? 1 : 0;
      numbers += number_of(row[column]) ? 1 : 0;
    }
    if (2 * numbers <= rows.size() - empty) return false;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!rows[i][column].empty()) static_cast<void>(number(i, column));
    }
    return empty == 0;
  }
  [[nodiscard]] Names texts(std::size_t column) const {
    Names result;
    for (const auto& row : rows) result.push_back(row[column]);
    return result;
  }
  [[nodiscard]] double number(std::size_t row, std::size_t column) const {
    const auto value = number_of(rows[row][column]);
    if (!value)
      throw bad_input("line " + std::to_string(lines[row]) + ": column '" + names[column] + "': '" +
                      rows[row][column].substr(0, 60) + "' is no number");
    return *value;
  }
};

Columns read_all(const std::string& file) {
  CsvReader csv(file);
  Columns columns;
  columns.names = csv.header();
  while (csv.next()) {
    columns.rows.emplace_back(csv.fields().begin(), csv.fields().end());
    columns.lines.push_back(csv.line());
  }
  if (columns.rows.empty()) throw bad_input("has no rows");
  return columns;
}

std::optional<std::size_t> target_of(const Columns& columns, const ColumnChoice& choice) {
  if (!choice.target.empty()) {
    const auto found = columns.find(choice.target);
    if (!found && choice.needs_target) throw bad_input("has no column '" + choice.target + "' (--target)");
    return found;
  }
  for (const char* name : kTargets) {
    if (const auto found = columns.find(name)) return found;
  }
  if (choice.needs_target)
    throw bad_input("no column is known for a time: name the one to predict with --target");
  return {};
}

// Milliseconds in one of the column's unit, as its name ends.
double unit_ms(const std::string& name) {
  if (name.ends_with("_ms")) return 1;
  if (name.ends_with("_s")) return 1e3;
  throw bad_use("--target: the name of column '" + name +
                "' does not end in _ms or _s, so its unit is not known");
}

// What the table says of a run beforehand: no times, no readings, nothing on who measured it.
bool tells_of_run(const std::string& name) {
  const ColumnSpec spec = column_spec(name);
  if (name == "gpu" || name == "framework" || name == "stack") return true;
  return spec.role == ColumnRole::feature && !(spec.known && name == "n");
}

// A feature by the numbers of the column, or one for each of its texts.
void add_column(const Columns& columns, std::size_t column, const Names& read_by_predictor,
                RegressionTable& table) {
  const bool is_number = std::find(read_by_predictor.begin(), read_by_predictor.end(),
                                   columns.names[column]) != read_by_predictor.end();
  if (!is_number && !columns.is_numeric(column)) {
    add_choices(table, columns.names[column], columns.texts(column));
    return;
  }
  table.features.push_back(columns.names[column]);
  for (std::size_t i = 0; i < table.rows.size(); ++i)
    table.rows[i].features.push_back(columns.number(i, column));
}

void check_time(double ms) {
  if (ms <= 0) throw bad_input("is not above zero");
  if (ms < kLeastMeasuredMs) throw bad_input("is below 1e-9 ms");
  if (ms > kMostMeasuredMs) throw bad_input("is above 1e12 ms");
}

Device find_device(const std::string& name, const std::vector<Device>& own_devices, const DeviceDb& devices) {
  for (const Device& own : own_devices) {
    if (own.key == name) return own;
  }
  return devices.find(name);
}

// The sheet of each row's device.
void add_sheets(const Columns& columns, std::size_t gpu_column, const std::vector<Device>& own_devices,
                RegressionTable& table) {
  const DeviceDb devices;
  std::map<std::string, std::vector<NamedNumber>> sheets;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const std::string& gpu = columns.rows[i][gpu_column];
    if (sheets.count(gpu) == 0) {
      const Device device = with_context("line " + std::to_string(columns.lines[i]) + ": column 'gpu'",
                                         [&] { return find_device(gpu, own_devices, devices); });
      sheets[gpu] = sheet_features({.device = &device});
    }
    table.rows[i].gpu = gpu;
    for (const NamedNumber& number : sheets[gpu]) {
      if (i == 0) table.features.push_back(number.name);
      table.rows[i].features.push_back(number.value);
    }
  }
}

void check_sheets_can_be_read(const Columns& columns, const Names& read_by_predictor) {
  if (columns.find("gpu")) return;
  const Device any;
  for (const NamedNumber& number : sheet_features({.device = &any})) {
    if (std::find(read_by_predictor.begin(), read_by_predictor.end(), number.name) != read_by_predictor.end())
      throw bad_input("has no column 'gpu', whose data sheets the predictor reads");
  }
}

}  // namespace

RegressionTable read_column_features(const std::string& file, const ColumnChoice& choice,
                                     const std::vector<Device>& own_devices) {
  const Columns columns = read_all(file);
  const auto target = target_of(columns, choice);
  const bool has_times = target && choice.needs_target;
  const double unit = has_times ? unit_ms(columns.names[*target]) : 0;
  RegressionTable table;
  table.rows.resize(columns.rows.size());
  const auto network = columns.find(columns.find("network") ? "network" : "model");
  const auto family = columns.find("family");
  const auto stack = columns.find(columns.find("stack") ? "stack" : "framework");
  const auto precision = columns.find("precision");
  const auto mode = columns.find("mode");
  const auto optimizer = columns.find("optimizer");
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    RegressionRow& row = table.rows[i];
    row.place = file + ": line " + std::to_string(columns.lines[i]);
    if (has_times) row.target_ms = columns.number(i, *target) * unit;
    if (has_times) {
      with_context("line " + std::to_string(columns.lines[i]) + ": column '" + columns.names[*target] + "'",
                   [&] { check_time(row.target_ms); });
    }
    if (network) row.network = columns.rows[i][*network];
    row.family = family ? columns.rows[i][*family] : row.network;
    if (stack) row.stack = columns.rows[i][*stack];
    if (precision) row.precision = columns.rows[i][*precision];
    if (mode) row.mode = columns.rows[i][*mode];
    if (optimizer) row.optimizer = columns.rows[i][*optimizer];
  }
  check_sheets_can_be_read(columns, choice.read_by_predictor);
  Names wanted = choice.features;
  if (wanted.empty())
    std::copy_if(columns.names.begin(), columns.names.end(), std::back_inserter(wanted), tells_of_run);
  for (const std::string& name : wanted) {
    const auto column = columns.find(name);
    if (!column) throw bad_input("has no column '" + name + "' (--features)");
    if (column != target) add_column(columns, *column, choice.read_by_predictor, table);
    if (name == "gpu") add_sheets(columns, *column, own_devices, table);
  }
  return table;
}

}  // namespace layersim
