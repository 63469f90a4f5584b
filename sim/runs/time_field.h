#pragma once
// Measured times as fields of a CSV.

#include <string_view>

namespace layersim {

// A step takes some time: 0 is none. A part of it, such as a layer or an operation, may take none.
enum class TimeOf : unsigned char { step, part };

// Milliseconds, at most kMostMeasuredMs. Throws bad_input that names neither file nor column.
[[nodiscard]] double parse_time_ms(std::string_view field, TimeOf what);

}  // namespace layersim
