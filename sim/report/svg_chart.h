#pragma once
// Bars drawn as SVG. Each part of a bar also has a text, so that nothing depends on colour alone.

#include <string>
#include <string_view>
#include <vector>

namespace layersim {

// A part of a bar, in the unit of its chart.
struct BarPart {
  std::string_view label;   // "forward"
  std::string_view colour;  // "#0072b2"
  double size = 0;
};

// A mark across the bars.
struct BarLimit {
  std::string label;  // "usable"
  double at = 0;
};

// One bar from left to right with the parts behind each other, a legend below (for HTML), and a mark at
// `limit` (0: none).
[[nodiscard]] std::string stacked_bar(const std::vector<BarPart>& parts, std::string_view unit, double limit,
                                      std::string_view limit_label);

struct ChartRow {
  std::string label;
  std::string note;  // behind the bar
  std::vector<BarPart> parts;
};
struct BarChart {
  std::string title;
  std::string_view unit;
  std::vector<ChartRow> rows;
  std::vector<BarLimit> limits = {};
};
// One bar a row, all on the same scale, with the title and a legend of the parts above.
[[nodiscard]] std::string bar_chart(const BarChart& chart);

// Squares with the labels and, where `unit` is not empty, the sizes, for HTML; parts of size 0 are left out.
[[nodiscard]] std::string legend(const std::vector<BarPart>& parts, std::string_view unit);

}  // namespace layersim
