#pragma once
// One row of a layer table -> Problem, pass and the rest. One function a kind of table
// (sim/store/table_kind.h).

#include <cstddef>
#include <string>
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
  // The first of the columns that is not missing in this row: a store can hold rows of both forms.
  [[nodiscard]] std::int64_t count(std::string_view column, std::string_view other, std::size_t row) const;
  [[nodiscard]] std::int64_t count_or(std::string_view column, std::size_t row, std::int64_t fallback) const;
  [[nodiscard]] double number_or(std::string_view column, std::size_t row, double fallback) const;
  [[nodiscard]] std::string_view text(std::string_view column, std::size_t row) const {
    return table_.text(column, row);
  }

 private:
  const Table& table_;
};

// Fills the problem of the sample, which has its pass and the column time_ms already. Returns why the row
// gives no sample; the empty text when it does.
using RowConversion = std::string (*)(const RowReader& reader, std::size_t row, Sample& sample);
// nullptr for a kind of table without layers for this use.
[[nodiscard]] RowConversion find_row_conversion(std::string_view table_kind, SampleUse use);

// The pass of the column `mode` of a table with layers. Throws bad_input naming the column.
[[nodiscard]] Pass parse_pass(std::string_view mode);

// Rows of operators timed within a network (kind network_ops), in network_op_conversion.cpp.
[[nodiscard]] std::string convert_network_op(const RowReader& reader, std::size_t row, Sample& sample);
// Rows of the sampler (kind problems), in problem_conversion.cpp.
[[nodiscard]] std::string convert_problem(const RowReader& reader, std::size_t row, Sample& sample);

}  // namespace layersim
