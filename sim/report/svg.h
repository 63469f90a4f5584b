#pragma once
// The pieces of drawings in SVG. A drawing stands on its own, as a file, and within an HTML page alike: no
// styles of a page, no scripts, nothing fetched. Lengths are pixels.

#include <array>
#include <string>
#include <string_view>

namespace layersim {

// Okabe and Ito (2008): told apart with any kind of colour vision.
inline constexpr std::string_view kBlue = "#0072b2";
inline constexpr std::string_view kOrange = "#e69f00";
inline constexpr std::string_view kGreen = "#009e73";
inline constexpr std::string_view kVermilion = "#d55e00";
inline constexpr std::string_view kSkyBlue = "#56b4e9";
inline constexpr std::string_view kPurple = "#cc79a7";
inline constexpr std::string_view kBlack = "#1a1a1a";
inline constexpr std::string_view kGrey = "#7f7f7f";

// Of series that are told apart by colour and by mark.
inline constexpr std::array<std::string_view, 8> kSeriesColours{kBlue,   kVermilion, kGreen, kPurple,
                                                                kOrange, kSkyBlue,   kBlack, kGrey};

[[nodiscard]] std::string svg_number(double number);  // two decimals
// `description` is what a screen reader says.
[[nodiscard]] std::string svg_open(double width, double height, std::string_view description);
// `anchor`: start, middle or end.
[[nodiscard]] std::string svg_label(double x, double y, std::string_view anchor, std::string_view text);
[[nodiscard]] std::string svg_rectangle(double x, double y, double width, double height,
                                        std::string_view colour, std::string_view title);
// `attributes` as in SVG: stroke="#ddd".
[[nodiscard]] std::string svg_line(double x1, double y1, double x2, double y2, std::string_view attributes);
// The mark of the series with that number, around a point.
[[nodiscard]] std::string svg_mark(double x, double y, std::size_t series, std::string_view title);

}  // namespace layersim
