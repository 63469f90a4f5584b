#pragma once
// Bars drawn as SVG within an HTML page. The colours are those of Okabe and Ito (2008), which readers with
// any kind of colour vision tell apart; each part also has a text, so that nothing depends on colour alone.

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

// One bar from left to right with the parts behind each other, a legend below, and a mark at `limit` (0:
// none).
[[nodiscard]] std::string stacked_bar(const std::vector<BarPart>& parts, std::string_view unit, double limit,
                                      std::string_view limit_label);

struct ChartRow {
  std::string label;
  std::string note;  // behind the bar
  std::vector<BarPart> parts;
};
// One bar a row, all on the same scale.
[[nodiscard]] std::string bar_chart(const std::vector<ChartRow>& rows, std::string_view unit);

// Squares with the labels and, where `unit` is not empty, the sizes; parts of size 0 are left out.
[[nodiscard]] std::string legend(const std::vector<BarPart>& parts, std::string_view unit);

}  // namespace layersim
