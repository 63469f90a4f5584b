#pragma once
// Measured rows in memory, column by column: what a CSV file and a store both read into, and what trainers
// and evaluation take. Numbers are doubles, counts included, with NaN for a missing field; texts are codes
// into the column's own list of distinct texts, -1 for a missing field.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/store/column.h"

namespace layersim {

inline constexpr std::int32_t kMissingCode = -1;

// Distinct texts of one column, coded in order of first appearance. Bounded, so that a hostile file cannot
// take all memory.
class Dictionary {
 public:
  static constexpr std::size_t kMaxTexts = std::size_t{1} << 20;
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 26;

  // Code of `text`, which is added if new. Throws bad_input when the text holds control characters or is not
  // UTF-8, or when there are too many. The empty text is kMissingCode.
  std::int32_t code(std::string_view text);
  // kMissingCode when there is none.
  [[nodiscard]] std::int32_t find(std::string_view text) const;
  [[nodiscard]] const std::string& text(std::int32_t code) const {
    return texts_.at(static_cast<std::size_t>(code));
  }
  [[nodiscard]] const std::vector<std::string>& texts() const { return texts_; }

 private:
  struct Hash {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): the name of the standard
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  std::vector<std::string> texts_;
  std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>> codes_;
  std::size_t bytes_ = 0;
};

// Codes of one dictionary as codes of another; a text is added to the other when it is first met.
class CodeMap {
 public:
  CodeMap(const Dictionary& from, Dictionary& to)
      : from_(from), to_(to), codes_(from.texts().size(), kUnmet) {}
  std::int32_t operator()(std::int32_t code) {
    if (code == kMissingCode) return code;
    std::int32_t& mapped = codes_.at(static_cast<std::size_t>(code));
    if (mapped == kUnmet) mapped = to_.code(from_.text(code));
    return mapped;
  }

 private:
  static constexpr std::int32_t kUnmet = -2;
  const Dictionary& from_;
  Dictionary& to_;
  std::vector<std::int32_t> codes_;
};

struct Column {
  ColumnSpec spec;
  std::vector<double> numbers;      // of an integer or real column
  std::vector<std::int32_t> codes;  // of a text column
  Dictionary dictionary;            // of a text column

  [[nodiscard]] bool is_text() const { return spec.type == ColumnType::text; }
  [[nodiscard]] bool is_missing(std::size_t row) const;
  // The field as a CSV file has it: shortest form that reads back to the same number; empty when missing.
  [[nodiscard]] std::string field(std::size_t row) const;
  void add_missing(std::size_t rows);
  void clear_rows();
};

class Table {
 public:
  Table() = default;
  // `kind` as in table_kind.h, or a layer kind.
  explicit Table(std::string kind) : kind_(std::move(kind)) {}

  [[nodiscard]] const std::string& kind() const { return kind_; }
  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }
  [[nodiscard]] std::vector<Column>& columns() { return columns_; }

  // nullptr when there is none of that name.
  [[nodiscard]] const Column* find(std::string_view name) const;
  // Throws bad_input when there is no such column, or when it holds texts instead of numbers.
  [[nodiscard]] std::span<const double> numbers(std::string_view name) const;
  // The text of a field, "" when it is missing or when there is no such column.
  [[nodiscard]] std::string_view text(std::string_view name, std::size_t row) const;

  // Provenance of each row in the store that it came from; empty for rows of a CSV file.
  [[nodiscard]] const std::vector<std::int32_t>& provenance() const { return provenance_; }
  [[nodiscard]] std::vector<std::int32_t>& provenance() { return provenance_; }

  // Line of each row in the CSV file that it came from; of other rows there may be fewer lines than rows.
  [[nodiscard]] std::vector<std::uint32_t>& lines() { return lines_; }
  // "line 2" of a CSV file, "row 1" of a store.
  [[nodiscard]] std::string place(std::size_t row) const;

  // Adds a column of which all present rows are missing.
  Column& add_column(ColumnSpec spec);
  // To be called after every column has grown to this many rows.
  void set_rows(std::size_t rows) { rows_ = rows; }
  // Forgets the rows, keeps columns and dictionaries.
  void clear_rows();

 private:
  std::string kind_;
  std::vector<Column> columns_;
  std::vector<std::int32_t> provenance_;
  std::vector<std::uint32_t> lines_;
  std::size_t rows_ = 0;
};

// Appends the rows of `from` for which `keep` is not 0 (all when `keep` is empty). Columns are matched by
// name; those that one side lacks are missing there.
void append_rows(Table& to, const Table& from, std::span<const char> keep = {});

// The rows for which `keep` is not 0.
[[nodiscard]] Table select_rows(const Table& table, std::span<const char> keep);

// Shortest decimal form that reads back to the same number; whole numbers below 2^53 without exponent.
[[nodiscard]] std::string format_number(double value);

}  // namespace layersim
