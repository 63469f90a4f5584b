#include "sim/report/xy_chart.h"

#include <algorithm>
#include <cmath>

#include "sim/core/strict_json.h"
#include "sim/report/readable_text.h"
#include "sim/report/svg.h"
#include "sim/report/xml_text.h"

namespace layersim {
namespace {

constexpr double kLeft = 80;
constexpr double kTop = 36;
constexpr double kPlotWidth = 640;
constexpr double kPlotHeight = 380;
constexpr double kLegendX = kLeft + kPlotWidth + 24;
constexpr double kWidth = 960;
constexpr double kHeight = kTop + kPlotHeight + 60;
constexpr double kLegendStep = 20;
constexpr double kIntervalShift = 3;  // between series, so that their bars do not hide each other
constexpr std::size_t kLegendColumns = 26;
constexpr double kFewTicks = 3;

std::string tick_text(double tick) { return tick < 1000 ? number_text(tick) : with_thousands(tick); }

// A logarithmic axis over what it has to show.
class Axis {
 public:
  void include(double value) {
    const double log = std::log10(value);
    low_ = std::min(low_, log);
    high_ = std::max(high_, log);
  }
  // A little room at both ends.
  void finish() {
    const double room = std::max(0.04 * (high_ - low_), 0.02);
    low_ -= room;
    high_ += room;
  }
  // 0 to 1.
  [[nodiscard]] double place(double value) const { return (std::log10(value) - low_) / (high_ - low_); }
  // 1, 2 and 5 of each decade; of a short axis all tenths.
  [[nodiscard]] std::vector<double> ticks() const {
    std::vector<double> found = ticks_of({1, 2, 5});
    if (static_cast<double>(found.size()) < kFewTicks)
      found = ticks_of({1, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9});
    return found;
  }

 private:
  [[nodiscard]] std::vector<double> ticks_of(const std::vector<double>& steps) const {
    std::vector<double> found;
    for (int decade = static_cast<int>(std::floor(low_)); decade <= static_cast<int>(std::ceil(high_));
         ++decade) {
      for (const double step : steps) {
        // From text, so that 0.2 is no 0.2000000001.
        const double tick = std::stod(number_text(step) + 'e' + std::to_string(decade));
        const double at = place(tick);
        if (at >= 0 && at <= 1) found.push_back(tick);
      }
    }
    return found;
  }

  double low_ = 300;
  double high_ = -300;
};

class Plot {
 public:
  explicit Plot(const XyChart& chart) : chart_(chart) {
    for (const XySeries& series : chart.series) {
      for (const XyPoint& point : series.points) {
        x_.include(point.x);
        y_.include(point.y);
        if (!point.y_interval || point.y_interval->low <= 0) continue;
        y_.include(point.y_interval->low);
        y_.include(point.y_interval->high);
      }
    }
    x_.finish();
    y_.finish();
  }

  [[nodiscard]] std::string draw() const {
    std::string out = svg_open(kWidth, std::max(kHeight, legend_bottom()), chart_.title) +
                      "<g font-size=\"14\">" + svg_label(kLeft, 20, "start", chart_.title) + "</g>\n";
    out += grid();
    for (std::size_t i = 0; i < chart_.series.size(); ++i) out += draw_series(i);
    return out + legend() + "</svg>\n";
  }

 private:
  [[nodiscard]] double x(double value) const { return kLeft + kPlotWidth * x_.place(value); }
  [[nodiscard]] double y(double value) const { return kTop + kPlotHeight * (1 - y_.place(value)); }
  [[nodiscard]] double legend_bottom() const {
    return kTop + 20 + kLegendStep * static_cast<double>(chart_.series.size());
  }

  [[nodiscard]] std::string grid() const {
    constexpr std::string_view kGrid = "stroke=\"#ddd\"";
    std::string out;
    for (const double tick : chart_.x_ticks.empty() ? x_.ticks() : chart_.x_ticks) {
      out += svg_line(x(tick), kTop, x(tick), kTop + kPlotHeight, kGrid) +
             svg_label(x(tick), kTop + kPlotHeight + 18, "middle", tick_text(tick)) + '\n';
    }
    for (const double tick : y_.ticks()) {
      out += svg_line(kLeft, y(tick), kLeft + kPlotWidth, y(tick), kGrid) +
             svg_label(kLeft - 8, y(tick) + 4, "end", tick_text(tick)) + '\n';
    }
    out += "<rect x=\"" + svg_number(kLeft) + "\" y=\"" + svg_number(kTop) + "\" width=\"" +
           svg_number(kPlotWidth) + "\" height=\"" + svg_number(kPlotHeight) +
           "\" fill=\"none\" stroke=\"#555\"/>\n";
    out += svg_label(kLeft + kPlotWidth / 2, kTop + kPlotHeight + 42, "middle", chart_.x_label);
    return out + "<text transform=\"translate(18 " + svg_number(kTop + kPlotHeight / 2) +
           ") rotate(-90)\" text-anchor=\"middle\">" + xml_text(chart_.y_label) + "</text>\n";
  }

  [[nodiscard]] std::string draw_series(std::size_t index) const {
    const XySeries& series = chart_.series[index];
    const std::string_view colour =
        series.name.empty() ? kBlack : kSeriesColours[index % kSeriesColours.size()];
    const std::string stroke = "stroke=\"" + std::string(colour) + "\"";
    const double shift =
        kIntervalShift * (static_cast<double>(index) - static_cast<double>(chart_.series.size() - 1) / 2);
    std::string line;
    std::string marks;
    std::string intervals;
    for (const XyPoint& point : series.points) {
      line += (line.empty() ? "" : " ") + svg_number(x(point.x)) + ',' + svg_number(y(point.y));
      if (!series.name.empty()) marks += svg_mark(x(point.x), y(point.y), index, point.title) + '\n';
      if (!point.y_interval || point.y_interval->low <= 0) continue;
      const double at = x(point.x) + shift;
      intervals += svg_line(at, y(point.y_interval->low), at, y(point.y_interval->high),
                            stroke + " stroke-opacity=\"0.6\"") +
                   '\n';
    }
    const std::string width = series.name.empty() ? " stroke-dasharray=\"5 4\"" : " stroke-width=\"1.5\"";
    if (!series.joined) line.clear();
    return intervals +
           (line.empty() ? ""
                         : "<polyline points=\"" + line + "\" fill=\"none\" " + stroke + width + "/>\n") +
           marks;
  }

  [[nodiscard]] std::string legend() const {
    std::string out;
    double at = kTop + 12;
    for (std::size_t i = 0; i < chart_.series.size(); ++i) {
      if (chart_.series[i].name.empty()) continue;
      out += svg_mark(kLegendX, at - 4, i, chart_.series[i].name) +
             svg_label(kLegendX + 12, at, "start", keep_end(chart_.series[i].name, kLegendColumns)) + '\n';
      at += kLegendStep;
    }
    return out;
  }

  const XyChart& chart_;
  Axis x_;
  Axis y_;
};

}  // namespace

std::string xy_chart(const XyChart& chart) { return Plot(chart).draw(); }

}  // namespace layersim
