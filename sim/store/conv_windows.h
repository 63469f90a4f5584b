#pragma once
// Convolutions as rows tell them: each axis has its input, kernel, padding and dilation in columns.

#include "sim/store/table.h"

namespace layersim {

// Throws bad_input naming the row (Table::place) and the column of a kernel that is larger than the padded
// input, so that there is no output. Tables of other kinds than conv are not looked at.
void check_conv_windows(const Table& table);

}  // namespace layersim
