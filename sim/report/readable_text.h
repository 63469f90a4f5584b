#pragma once
// Numbers and names as people read them in a terminal.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace layersim {

// 138357544 -> "138,357,544"; fractions are rounded away.
[[nodiscard]] std::string with_thousands(double number);
// Three significant digits, never more than five decimals: 0.0123, 1.23, 12.3, 123, 1,235; "0" for 0;
// from 1e12 on as 1.23e+12.
[[nodiscard]] std::string short_number(double number);
// 15470264320 -> "15.5 G"; with unit "MACs": "15.5 GMACs", "12 MACs".
[[nodiscard]] std::string with_prefix(double number, std::string_view unit = "");
// "0.93" -> "93 %"; "100 %" only for all, "0 %" only for nothing.
[[nodiscard]] std::string percent(double share);
// "850 ms", "12.3 s", "5 min 20 s", "6 h 52 min", "3 d 4 h".
[[nodiscard]] std::string duration(double seconds);
[[nodiscard]] std::string usd_text(double amount);  // "0.53", "649", "12,345"

// Columns that the text takes in a terminal, one a code point.
[[nodiscard]] std::size_t display_width(std::string_view text);
// Control characters made visible as '?', so that a name cannot command the terminal.
[[nodiscard]] std::string printable(std::string_view text);
// The end of a text, which tells names apart, after "..": at most `width` columns.
[[nodiscard]] std::string keep_end(std::string_view text, std::size_t width);

[[nodiscard]] std::string name_list(const std::vector<std::string>& names);  // "k80, t4"

// "label  text" with the text from column `indent` on, broken at blanks into lines of at most `width`
// columns.
[[nodiscard]] std::string labelled_text(std::string_view label, std::string_view text, std::size_t indent,
                                        std::size_t width);

}  // namespace layersim
