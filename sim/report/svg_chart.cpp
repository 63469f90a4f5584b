#include "sim/report/svg_chart.h"

#include <algorithm>

#include "sim/report/readable_text.h"
#include "sim/report/svg.h"
#include "sim/report/xml_text.h"

namespace layersim {
namespace {

constexpr double kWidth = 960;
constexpr double kLabelWidth = 260;
constexpr double kNoteWidth = 90;
constexpr double kRowHeight = 20;
constexpr double kLegendHeight = 24;
constexpr double kCharacterWidth = 7;
constexpr std::size_t kLabelColumns = 40;
constexpr std::string_view kLimitStyle = "stroke=\"#1a1a1a\" stroke-width=\"2\" stroke-dasharray=\"4 3\"";

double sum(const std::vector<BarPart>& parts) {
  double total = 0;
  for (const BarPart& part : parts) total += part.size;
  return total;
}

// The parts behind each other, `scale` pixels a unit.
std::string draw_parts(const std::vector<BarPart>& parts, double x, double y, double height, double scale,
                       const std::string& unit) {
  std::string out;
  for (const BarPart& part : parts) {
    if (part.size <= 0) continue;
    const double width = part.size * scale;
    out += svg_rectangle(x, y, width, height, part.colour,
                         std::string(part.label) + ' ' + short_number(part.size) + ' ' + unit);
    x += width;
  }
  return out;
}

// The parts that any row has, in the order of the first row.
std::string draw_legend(const std::vector<ChartRow>& rows, double y) {
  std::string out;
  double x = kLabelWidth;
  if (rows.empty()) return out;
  for (std::size_t i = 0; i < rows.front().parts.size(); ++i) {
    const BarPart& part = rows.front().parts[i];
    const bool is_there = std::any_of(rows.begin(), rows.end(), [&](const ChartRow& row) {
      return i < row.parts.size() && row.parts[i].size > 0;
    });
    if (!is_there) continue;
    out +=
        svg_rectangle(x, y - 9, 10, 10, part.colour, part.label) + svg_label(x + 15, y, "start", part.label);
    x += 32 + kCharacterWidth * static_cast<double>(part.label.size());
  }
  return out + '\n';
}

// Labels of limits, each in a line of its own.
std::string draw_limits(const BarChart& chart, double scale, double top, double bottom) {
  std::string out;
  double y = top + 12;
  for (const BarLimit& limit : chart.limits) {
    const double x = kLabelWidth + limit.at * scale;
    const bool is_right = limit.at * scale > (kWidth - kLabelWidth) / 2;
    out += svg_line(x, y - 8, x, bottom, kLimitStyle) +
           svg_label(x + (is_right ? -5 : 5), y, is_right ? "end" : "start",
                     limit.label + ' ' + short_number(limit.at) + ' ' + std::string(chart.unit)) +
           '\n';
    y += 14;
  }
  return out;
}

}  // namespace

std::string legend(const std::vector<BarPart>& parts, std::string_view unit) {
  std::string out = "<p class=\"legend\">";
  for (const BarPart& part : parts) {
    if (part.size <= 0) continue;
    out += "<span><svg class=\"key\" viewBox=\"0 0 10 10\"><rect width=\"10\" height=\"10\" fill=\"" +
           std::string(part.colour) + "\"/></svg>" + xml_text(part.label);
    if (!unit.empty()) out += " <b>" + xml_text(short_number(part.size)) + "</b> " + xml_text(unit);
    out += "</span> ";
  }
  return out + "</p>\n";
}

std::string stacked_bar(const std::vector<BarPart>& parts, std::string_view unit, double limit,
                        std::string_view limit_label) {
  const double total = sum(parts);
  const double longest = std::max(total, limit);
  const double scale = longest > 0 ? (kWidth - 2) / longest : 0;
  const double bar_y = limit > 0 ? 20 : 0;
  std::string out = svg_open(kWidth, bar_y + 34, short_number(total) + ' ' + std::string(unit));
  out += draw_parts(parts, 0, bar_y + 2, 30, scale, std::string(unit));
  if (limit > 0) {
    const double x = limit * scale;
    out += svg_line(x, bar_y - 2, x, bar_y + 34, kLimitStyle);
    out += svg_label(x, 14, x > kWidth / 2 ? "end" : "start",
                     std::string(limit_label) + ' ' + short_number(limit) + ' ' + std::string(unit));
  }
  return out + "</svg>\n" + legend(parts, unit);
}

std::string bar_chart(const BarChart& chart) {
  double longest = 0;
  for (const ChartRow& row : chart.rows) longest = std::max(longest, sum(row.parts));
  for (const BarLimit& limit : chart.limits) longest = std::max(longest, limit.at);
  const double scale = longest > 0 ? (kWidth - kLabelWidth - kNoteWidth) / longest : 0;
  const double rows_y = 2 * kLegendHeight + 14 * static_cast<double>(chart.limits.size());
  const double bottom = rows_y + kRowHeight * static_cast<double>(chart.rows.size());
  std::string out = svg_open(kWidth, bottom + 4, chart.title);
  out +=
      svg_label(kLabelWidth, 16, "start", chart.title) + '\n' + draw_legend(chart.rows, kLegendHeight + 16);
  double y = rows_y;
  for (const ChartRow& row : chart.rows) {
    out += "<g>" + svg_label(kLabelWidth - 8, y + 14, "end", keep_end(row.label, kLabelColumns));
    out += draw_parts(row.parts, kLabelWidth, y + 3, kRowHeight - 6, scale, std::string(chart.unit));
    out += svg_label(kLabelWidth + sum(row.parts) * scale + 6, y + 14, "start", row.note) + "</g>\n";
    y += kRowHeight;
  }
  return out + draw_limits(chart, scale, 2 * kLegendHeight, bottom) + "</svg>\n";
}

}  // namespace layersim
