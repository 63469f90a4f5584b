#include "sim/store/flag_columns.h"

#include <algorithm>
#include <array>

#include "sim/core/error.h"

namespace layersim {
namespace {

constexpr std::array<std::string_view, 15> kFlags{
    "a_trans",        "b_trans", "bias",      "bidirectional", "causal", "fusion",   "includes_input_copy",
    "input_gradient", "padded",  "peepholes", "residual",      "scale",  "stored_b", "transposed_a",
    "transposed_b",
};

}  // namespace

bool is_flag_column(std::string_view name) {
  return std::find(kFlags.begin(), kFlags.end(), name) != kFlags.end();
}

void check_flag(std::string_view field) {
  for (const std::string_view value : {"", "0", "1", "0.0", "1.0"}) {
    if (field == value) return;
  }
  throw bad_input("'" + std::string(field.substr(0, 60)) + "' is neither 0 nor 1");
}

void check_flags(const Table& table) {
  for (const Column& column : table.columns()) {
    if (column.is_text() || !is_flag_column(column.spec.name)) continue;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      if (column.is_missing(row) || column.numbers[row] == 0 || column.numbers[row] == 1) continue;
      with_context(table.place(row) + ": column '" + column.spec.name + "'",
                   [&] { check_flag(column.field(row)); });
    }
  }
}

}  // namespace layersim
