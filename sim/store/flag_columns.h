#pragma once
// Columns of measured rows that say yes or no: 1 or 0.

#include <string_view>

#include "sim/store/table.h"

namespace layersim {

[[nodiscard]] bool is_flag_column(std::string_view name);

// Throws bad_input where the field of such a column is neither 0 nor 1 nor empty; "1.0" is 1.
void check_flag(std::string_view field);

// The same for all flags of a table, naming the row (Table::place) and the column.
void check_flags(const Table& table);

}  // namespace layersim
