#pragma once
// The vocabulary of measured rows: what a column's name says about its type, its unit and its part in a row.
// A name ends in its unit (time_ms, size_mb), perhaps followed by a statistic (time_ms_min); names without
// one are counts or texts of a fixed list. A name that is neither is kept as text, which loses nothing.

#include <string>
#include <string_view>

namespace layersim {

enum class ColumnType : unsigned char {
  text,
  integer,  // a count, at least 0 and exact in a double
  real,
};

enum class ColumnRole : unsigned char {
  feature,   // says what was measured: sizes, mode, optimizer ...
  where,     // says on what or by whom: gpu, framework, library version, source ...
  measured,  // the result: times, bandwidths, the algorithm that the library chose
};

struct ColumnSpec {
  std::string name;
  ColumnType type = ColumnType::text;
  ColumnRole role = ColumnRole::feature;
  std::string unit;    // "ms", "1" for counts and shares, empty for texts
  bool known = false;  // false: the name is not in the vocabulary

  bool operator==(const ColumnSpec&) const = default;
};

[[nodiscard]] ColumnSpec column_spec(std::string_view name);

[[nodiscard]] std::string_view name(ColumnType type);
[[nodiscard]] std::string_view name(ColumnRole role);

}  // namespace layersim
