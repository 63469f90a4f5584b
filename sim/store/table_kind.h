#pragma once
// The kinds of measured rows and how a file's columns tell which one it holds. Layer kinds lie under /layers
// of the store, whole networks under /runs.

#include <string>
#include <string_view>
#include <vector>

namespace layersim {

// No layer, step or training that anybody measured takes longer: 31 years.
inline constexpr double kMostMeasuredMs = 1e12;
// Nor less than a picosecond, but nothing at all.
inline constexpr double kLeastMeasuredMs = 1e-9;

enum class TableGroup : unsigned char { layers, runs };
[[nodiscard]] std::string_view name(TableGroup group);

struct TableKind {
  std::string_view name;
  TableGroup group;
  // A column each, or alternatives "a|b". A file is of the first kind whose signature it has.
  std::vector<std::string_view> signature;
  std::vector<std::string_view> required;  // beyond the signature
  std::string_view time;                   // alternatives; each row must have at least one
};

[[nodiscard]] const std::vector<TableKind>& table_kinds();

// nullptr when there is none of that name.
[[nodiscard]] const TableKind* find_table_kind(std::string_view name);

// What a file has a row for: a measurement, or a problem that is to be measured, without device and time.
enum class RowsOf : unsigned char { measurements, problems };

// The kind that has these columns. Throws bad_input that names what the nearest kind lacks.
[[nodiscard]] const TableKind& recognize_kind(const std::vector<std::string>& columns,
                                              RowsOf rows = RowsOf::measurements);

// The alternatives of "a|b".
[[nodiscard]] std::vector<std::string_view> alternatives(std::string_view names);

}  // namespace layersim
