#include "sim/report/svg.h"

#include <cstdio>

#include "sim/report/xml_text.h"

namespace layersim {
namespace {

// Around (0, 0): disc, square, triangle, diamond.
constexpr std::array<std::string_view, 4> kMarks{"M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",
                                                 "M-3.6 -3.6h7.2v7.2h-7.2z", "M0 -4.6l4.4 7.8h-8.8z",
                                                 "M0 -5l5 5l-5 5l-5 -5z"};

}  // namespace

std::string svg_number(double number) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.2f", number);
  return text.data();
}

std::string svg_open(double width, double height, std::string_view description) {
  const std::string size = svg_number(width) + ' ' + svg_number(height);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + size + "\" width=\"" +
         svg_number(width) + "\" height=\"" + svg_number(height) +
         "\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\" role=\"img\" aria-label=\"" +
         xml_text(description) + "\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";
}

std::string svg_label(double x, double y, std::string_view anchor, std::string_view text) {
  return "<text x=\"" + svg_number(x) + "\" y=\"" + svg_number(y) + "\" text-anchor=\"" +
         std::string(anchor) + "\">" + xml_text(text) + "</text>";
}

std::string svg_rectangle(double x, double y, double width, double height, std::string_view colour,
                          std::string_view title) {
  return "<rect x=\"" + svg_number(x) + "\" y=\"" + svg_number(y) + "\" width=\"" + svg_number(width) +
         "\" height=\"" + svg_number(height) + "\" fill=\"" + std::string(colour) + "\"><title>" +
         xml_text(title) + "</title></rect>";
}

std::string svg_line(double x1, double y1, double x2, double y2, std::string_view attributes) {
  return "<line x1=\"" + svg_number(x1) + "\" y1=\"" + svg_number(y1) + "\" x2=\"" + svg_number(x2) +
         "\" y2=\"" + svg_number(y2) + "\" " + std::string(attributes) + "/>";
}

std::string svg_mark(double x, double y, std::size_t series, std::string_view title) {
  // Two series of one colour never have one mark.
  const std::string_view shape = kMarks[(series + series / kSeriesColours.size()) % kMarks.size()];
  return "<path transform=\"translate(" + svg_number(x) + ' ' + svg_number(y) + ")\" d=\"" +
         std::string(shape) + "\" fill=\"" + std::string(kSeriesColours[series % kSeriesColours.size()]) +
         "\"><title>" + xml_text(title) + "</title></path>";
}

}  // namespace layersim
