#pragma once
// Measured rows from a CSV file: recognises the kind from the columns and turns fields into numbers and
// texts, checking each. Columns that are not in the vocabulary (column.h) are kept as texts and warned of.

#include <cstddef>
#include <string>

#include "sim/core/warnings.h"
#include "sim/store/csv_reader.h"
#include "sim/store/table.h"
#include "sim/store/table_kind.h"

namespace layersim {

class CsvRows {
 public:
  // Errors do not name the file: callers put it before them.
  CsvRows(const std::string& path, Warnings& warnings, RowsOf rows = RowsOf::measurements);

  [[nodiscard]] const TableKind& kind() const { return *kind_; }

  // An empty table with this file's columns, to be given to read().
  [[nodiscard]] Table make_table() const;

  // Appends up to `max_rows` rows; false when there were none left. `table` must be from make_table(),
  // cleared between calls or not. Throws bad_input naming line and column.
  bool read(Table& table, std::size_t max_rows);

  // SHA-256 of the file; after the last row.
  [[nodiscard]] const std::string& sha256() const { return reader_.sha256(); }

 private:
  void read_field(Column& column, std::string_view field) const;
  void check_row(const Table& table) const;

  CsvReader reader_;
  RowsOf rows_;
  const TableKind* kind_;
  std::vector<std::size_t> time_columns_;  // at least one must be there in each row
  std::size_t gpu_column_ = 0;
};

// The whole file in memory. Errors name the file.
[[nodiscard]] Table read_csv(const std::string& path, Warnings& warnings, RowsOf rows = RowsOf::measurements);

}  // namespace layersim
