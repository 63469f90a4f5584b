#include "sim/report/svg_chart.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "sim/report/readable_text.h"
#include "sim/report/xml_text.h"

namespace layersim {
namespace {

constexpr double kWidth = 960;
constexpr double kLabelWidth = 260;
constexpr double kNoteWidth = 90;
constexpr double kRowHeight = 20;
constexpr std::size_t kLabelColumns = 40;

// A number in SVG: two decimals.
std::string svg(double number) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f", number);
  return text.data();
}

std::string rectangle(double x, double y, double width, double height, std::string_view colour,
                      const std::string& title) {
  return "<rect x=\"" + svg(x) + "\" y=\"" + svg(y) + "\" width=\"" + svg(width) + "\" height=\"" +
         svg(height) + "\" fill=\"" + std::string(colour) + "\"><title>" + xml_text(title) +
         "</title></rect>";
}

std::string text_at(double x, double y, std::string_view anchor, std::string_view text) {
  return "<text x=\"" + svg(x) + "\" y=\"" + svg(y) + "\" text-anchor=\"" + std::string(anchor) + "\">" +
         xml_text(text) + "</text>";
}

std::string open_svg(double height, std::string_view description) {
  return "<svg viewBox=\"0 0 " + svg(kWidth) + ' ' + svg(height) + "\" role=\"img\" aria-label=\"" +
         xml_text(description) + "\">";
}

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
    out += rectangle(x, y, width, height, part.colour,
                     std::string(part.label) + ' ' + short_number(part.size) + ' ' + unit);
    x += width;
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
  std::string out = open_svg(bar_y + 34, short_number(total) + ' ' + std::string(unit));
  out += draw_parts(parts, 0, bar_y + 2, 30, scale, std::string(unit));
  if (limit > 0) {
    const double x = limit * scale;
    out += "<line class=\"limit\" x1=\"" + svg(x) + "\" x2=\"" + svg(x) + "\" y1=\"" + svg(bar_y - 2) +
           "\" y2=\"" + svg(bar_y + 34) + "\"/>";
    out += text_at(x, 14, x > kWidth / 2 ? "end" : "start",
                   std::string(limit_label) + ' ' + short_number(limit) + ' ' + std::string(unit));
  }
  return out + "</svg>\n" + legend(parts, unit);
}

std::string bar_chart(const std::vector<ChartRow>& rows, std::string_view unit) {
  double longest = 0;
  for (const ChartRow& row : rows) longest = std::max(longest, sum(row.parts));
  const double scale = longest > 0 ? (kWidth - kLabelWidth - kNoteWidth) / longest : 0;
  std::string out = open_svg(kRowHeight * static_cast<double>(rows.size()), "time of each layer");
  double y = 0;
  for (const ChartRow& row : rows) {
    out += "<g>" + text_at(kLabelWidth - 8, y + 14, "end", keep_end(row.label, kLabelColumns));
    out += draw_parts(row.parts, kLabelWidth, y + 3, kRowHeight - 6, scale, std::string(unit));
    out += text_at(kLabelWidth + sum(row.parts) * scale + 6, y + 14, "start", row.note) + "</g>\n";
    y += kRowHeight;
  }
  return out + "</svg>\n";
}

}  // namespace layersim
