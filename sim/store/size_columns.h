#pragma once
// Columns of measured layers that count what no layer has none of: images, channels, elements, strides. Other
// counts may be 0: padding, flags, weights.

#include <string_view>

#include "sim/store/table.h"

namespace layersim {

[[nodiscard]] bool is_size_column(std::string_view name);

// Throws bad_input naming the row (Table::place) and the column: of a size that is 0, of a batch above
// kMostSamples, of a layer on several devices, of a convolution's kernel that is larger than the padded
// input, of a flag that is neither 0 nor 1. Sizes may be missing. Of tables of runs only flags and the steps
// of a profile are looked at: elsewhere in theirs 0 may stand for what nobody counted.
void check_sizes(const Table& table);

}  // namespace layersim
