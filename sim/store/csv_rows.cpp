#include "sim/store/csv_rows.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "sim/core/error.h"

namespace layersim {

namespace {

std::string shown(std::string_view text) {
  std::string result = "'";
  return result.append(text.substr(0, 40)).append("'");
}

constexpr double kMaxCount = 9007199254740992.0;  // 2^53

std::optional<double> parse_real(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

// Digits alone, fewer than overflow; nothing for all other texts.
std::optional<double> parse_digits(std::string_view text) {
  if (text.empty() || text.size() > 15) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return static_cast<double>(value);
}

double parse_number(ColumnType type, std::string_view text) {
  if (text.empty()) return std::numeric_limits<double>::quiet_NaN();
  if (type == ColumnType::real) {
    if (const auto value = parse_real(text)) return *value;
    throw bad_input(shown(text) + " is not a number");
  }
  if (const auto value = parse_digits(text)) return *value;
  // "64.0": how tables with missing fields come out of common tools.
  const auto value = parse_real(text);
  if (!value || *value != std::floor(*value)) throw bad_input(shown(text) + " is not a whole number");
  if (*value < 0 || *value > kMaxCount) throw bad_input(shown(text) + " is not a count between 0 and 2^53");
  return *value;
}

// What is wrong with a number; empty where nothing is. Nothing that is measured is below zero but degrees
// Celsius and what drivers print.
std::string_view fault_of(const ColumnSpec& spec, double value) {
  if (spec.name == "sparsity" && (value < 0 || value > 1)) return " is not a share from 0 to 1";
  const bool may_be_below = spec.unit == "Cel" || spec.name.starts_with("dq_");
  return value < 0 && !may_be_below ? " is below zero" : "";
}

std::size_t column_index(const std::vector<std::string>& header, std::string_view name) {
  return static_cast<std::size_t>(std::find(header.begin(), header.end(), name) - header.begin());
}

}  // namespace

CsvRows::CsvRows(const std::string& path, Warnings& warnings, RowsOf rows)
    : reader_(path), rows_(rows), kind_(&recognize_kind(reader_.header(), rows)) {
  const auto& header = reader_.header();
  for (const std::string& column : header) {
    if (!column_spec(column).known) {
      std::string text = path;
      text.append(": column '").append(column).append("' is not in the vocabulary; kept as text");
      warnings.add(std::move(text));
    }
  }
  for (const std::string_view time : alternatives(kind_->time)) {
    const std::size_t index = column_index(header, time);
    if (index < header.size()) time_columns_.push_back(index);
  }
  gpu_column_ = column_index(header, "gpu");
}

Table CsvRows::make_table() const {
  Table table{std::string(kind_->name)};
  for (const std::string& column : reader_.header()) table.add_column(column_spec(column));
  return table;
}

bool CsvRows::read(Table& table, std::size_t max_rows) {
  std::size_t count = 0;
  std::vector<Column>& columns = table.columns();
  for (; count < max_rows && reader_.next(); ++count) {
    const auto& fields = reader_.fields();
    for (std::size_t i = 0; i < fields.size(); ++i) read_field(columns[i], fields[i]);
    table.lines().push_back(static_cast<std::uint32_t>(reader_.line()));
    if (rows_ == RowsOf::measurements) check_row(table);
  }
  table.set_rows(table.rows() + count);
  return count > 0;
}

void CsvRows::read_field(Column& column, std::string_view field) const {
  try {
    if (!column.is_text()) {
      column.numbers.push_back(parse_number(column.spec.type, field));
    } else if (!column.codes.empty() && column.codes.back() != kMissingCode &&
               column.dictionary.text(column.codes.back()) == field) {
      column.codes.push_back(column.codes.back());  // most texts repeat from row to row
    } else {
      column.codes.push_back(column.dictionary.code(field));
    }
  } catch (Error& error) {
    error.within("line " + std::to_string(reader_.line()) + ": column '" + column.spec.name + "'");
    throw;
  }
}

// A row that does not say what was measured where is worth nothing to anybody.
void CsvRows::check_row(const Table& table) const {
  const auto& columns = table.columns();
  const auto& fields = reader_.fields();
  const auto fail = [&](std::size_t index, const std::string& what) {
    throw bad_input("line " + std::to_string(reader_.line()) + ": column '" + columns[index].spec.name +
                    "': " + what);
  };
  if (fields[gpu_column_].empty()) fail(gpu_column_, "is empty");
  // A part of a step may take no time (backward_ms of a forward pass), but not all of them.
  std::optional<std::size_t> last;
  bool timed = false;
  for (const std::size_t index : time_columns_) {
    if (fields[index].empty()) continue;
    const double time = columns[index].numbers.back();
    if (time < 0) fail(index, shown(fields[index]) + " is not a time above zero");
    if (time > 0 && time < kLeastMeasuredMs) fail(index, shown(fields[index]) + " is below 1e-9 ms");
    if (time > kMostMeasuredMs) fail(index, shown(fields[index]) + " is above 1e12 ms");
    timed = timed || time > 0;
    last = index;
  }
  if (!last) fail(time_columns_[0], "is empty");
  if (!timed) fail(*last, shown(fields[*last]) + " is not a time above zero");
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].is_text()) continue;
    if (const auto fault = fault_of(columns[i].spec, columns[i].numbers.back()); !fault.empty())
      fail(i, shown(fields[i]).append(fault));
  }
}

Table read_csv(const std::string& path, Warnings& warnings, RowsOf rows_of) {
  return with_context(path, [&] {
    CsvRows rows(path, warnings, rows_of);
    Table table = rows.make_table();
    rows.read(table, std::numeric_limits<std::size_t>::max());
    return table;
  });
}

}  // namespace layersim
