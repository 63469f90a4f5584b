#pragma once
// One row of a layer table -> Problem, pass and the rest. One function a kind of table
// (sim/store/table_kind.h).

#include <cstddef>
#include <string_view>

#include "sim/store/table.h"
#include "trainers/dataset.h"

namespace layersim {

// The columns of a table, looked up once.
class RowReader {
 public:
  explicit RowReader(const Table& table) : table_(table) {}

  // A count. Throws bad_input naming the column when it is missing in this row.
  [[nodiscard]] std::int64_t count(std::string_view column, std::size_t row) const;
  // The first of the columns that the table has.
  [[nodiscard]] std::int64_t count(std::string_view column, std::string_view other, std::size_t row) const;
  [[nodiscard]] std::int64_t count_or(std::string_view column, std::size_t row, std::int64_t fallback) const;
  [[nodiscard]] double number_or(std::string_view column, std::size_t row, double fallback) const;
  [[nodiscard]] std::string_view text(std::string_view column, std::size_t row) const {
    return table_.text(column, row);
  }

 private:
  const Table& table_;
};

using RowConversion = bool (*)(const RowReader& reader, std::size_t row, Sample& sample);
// Fills problem, pass, optimizer and updates_activations of the sample; false when no kind stands for the
// row. nullptr for a kind of table without layers of a feature family.
[[nodiscard]] RowConversion find_row_conversion(std::string_view table_kind);

}  // namespace layersim
