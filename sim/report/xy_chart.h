#pragma once
// Points and lines over two axes, drawn as SVG. Series are told apart by colour and by mark.

#include <optional>
#include <string>
#include <vector>

#include "sim/predictors/predictor.h"

namespace layersim {

struct XyPoint {
  double x = 0;
  double y = 0;
  std::optional<Interval> y_interval{};  // drawn as a bar
  std::string title{};                   // when the mouse is over it
};

struct XySeries {
  std::string name;  // empty: not in the legend, and without marks
  std::vector<XyPoint> points;
  bool joined = true;
};

// Both axes are logarithmic; values are above 0.
struct XyChart {
  std::string title;
  std::string x_label;  // with unit
  std::string y_label;
  std::vector<XySeries> series;
  std::vector<double> x_ticks = {};  // empty: 1, 2 and 5 of each decade
};

[[nodiscard]] std::string xy_chart(const XyChart& chart);

}  // namespace layersim
