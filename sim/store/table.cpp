#include "sim/store/table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "sim/core/error.h"

namespace layersim {

namespace {

constexpr double kMissingNumber = std::numeric_limits<double>::quiet_NaN();

}  // namespace

bool Column::is_missing(std::size_t row) const {
  return is_text() ? codes.at(row) == kMissingCode : std::isnan(numbers.at(row));
}

std::string Column::field(std::size_t row) const {
  if (is_missing(row)) return "";
  return is_text() ? dictionary.text(codes[row]) : format_number(numbers[row]);
}

void Column::add_missing(std::size_t rows) {
  if (is_text()) {
    codes.insert(codes.end(), rows, kMissingCode);
  } else {
    numbers.insert(numbers.end(), rows, kMissingNumber);
  }
}

void Column::clear_rows() {
  numbers.clear();
  codes.clear();
}

const Column* Table::find(std::string_view name) const {
  const auto found = std::find_if(columns_.begin(), columns_.end(),
                                  [&](const Column& column) { return column.spec.name == name; });
  return found == columns_.end() ? nullptr : &*found;
}

std::span<const double> Table::numbers(std::string_view name) const {
  const Column* column = find(name);
  if (column == nullptr) {
    throw bad_input("rows of kind '" + kind_ + "' have no column '" + std::string(name) + "'");
  }
  if (column->is_text()) {
    throw bad_input("column '" + std::string(name) + "' of kind '" + kind_ + "' holds texts, not numbers");
  }
  return column->numbers;
}

std::string_view Table::text(std::string_view name, std::size_t row) const {
  const Column* column = find(name);
  if (column == nullptr || !column->is_text() || column->is_missing(row)) return "";
  return column->dictionary.text(column->codes[row]);
}

Column& Table::add_column(ColumnSpec spec) {
  Column& column = columns_.emplace_back();
  column.spec = std::move(spec);
  column.add_missing(rows_);
  return column;
}

void Table::clear_rows() {
  for (Column& column : columns_) column.clear_rows();
  provenance_.clear();
  lines_.clear();
  rows_ = 0;
}

std::string Table::place(std::size_t row) const {
  if (lines_.size() == rows_) return "line " + std::to_string(lines_[row]);
  return "row " + std::to_string(row + 1);
}

void append_rows(Table& to, const Table& from, std::span<const char> keep) {
  const std::size_t before = to.rows();
  const auto kept = [&](std::size_t row) { return keep.empty() || keep[row] != 0; };
  std::size_t added = 0;
  for (std::size_t row = 0; row < from.rows(); ++row) added += kept(row) ? 1 : 0;
  for (const Column& source : from.columns()) {
    if (to.find(source.spec.name) == nullptr) to.add_column(source.spec);
  }
  for (Column& target : to.columns()) {
    const Column* source = from.find(target.spec.name);
    if (source == nullptr) {
      target.add_missing(added);
      continue;
    }
    if (source->is_text() != target.is_text()) {
      throw bad_input("column '" + target.spec.name + "' holds texts in one file and numbers in the other");
    }
    if (target.is_text()) {
      CodeMap map(source->dictionary, target.dictionary);
      for (std::size_t row = 0; row < from.rows(); ++row) {
        if (kept(row)) target.codes.push_back(map(source->codes[row]));
      }
    } else {
      for (std::size_t row = 0; row < from.rows(); ++row) {
        if (kept(row)) target.numbers.push_back(source->numbers[row]);
      }
    }
  }
  if (!from.provenance().empty()) {
    for (std::size_t row = 0; row < from.rows(); ++row) {
      if (kept(row)) to.provenance().push_back(from.provenance()[row]);
    }
  }
  to.set_rows(before + added);
}

Table select_rows(const Table& table, std::span<const char> keep) {
  Table result(table.kind());
  append_rows(result, table, keep);
  return result;
}

std::string format_number(double value) {
  std::array<char, 32> text{};
  char* const end = text.data() + text.size();
  const bool whole = std::abs(value) < 9007199254740992.0 && value == std::floor(value);
  const auto result = whole ? std::to_chars(text.data(), end, static_cast<std::int64_t>(value))
                            : std::to_chars(text.data(), end, value);
  return {text.data(), result.ptr};
}

}  // namespace layersim
