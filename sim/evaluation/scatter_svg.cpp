// A self-contained SVG. GPUs are told apart by colour and by mark, so that the plot can be read without
// colours; the colours are those of Okabe and Ito (2008), which people with any colour vision can tell apart.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>

#include "sim/evaluation/evaluation.h"
#include "sim/report/readable_text.h"

namespace layersim {
namespace {

constexpr std::size_t kMostPoints = 5000;
constexpr double kSize = 560;  // of the plot, both ways
constexpr double kLeft = 80;
constexpr double kTop = 64;
constexpr double kLegendWidth = 220;
constexpr double kLegendStep = 36;

constexpr std::array<const char*, 8> kColours{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                              "#E69F00", "#56B4E9", "#000000", "#8C7A00"};
// Drawn around (0, 0).
constexpr std::array<const char*, 4> kMarks{"m-1.7 0h3.4m-1.7 -1.7v3.4", "m-1.4 -1.4l2.8 2.8m0 -2.8l-2.8 2.8",
                                            "m-1.4 -1.4h2.8v2.8h-2.8z", "m0 -1.8l1.8 3.2h-3.6z"};

std::string fixed(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '&':
        result += "&amp;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string text_at(double x, double y, const std::string& attributes, const std::string& text) {
  return "<text x=\"" + fixed(x) + "\" y=\"" + fixed(y) + "\" " + attributes + ">" + escaped(text) +
         "</text>\n";
}

std::string line(double x1, double y1, double x2, double y2, const std::string& attributes) {
  return "<path d=\"M" + fixed(x1) + ' ' + fixed(y1) + 'L' + fixed(x2) + ' ' + fixed(y2) + "\" " +
         attributes + "/>\n";
}

// Whole decades that hold all times.
struct Axis {
  int low = 0;
  int high = 1;

  void include(double time_ms) {
    const double decade = std::log10(std::clamp(time_ms, 1e-9, 1e12));
    low = std::min(low, static_cast<int>(std::floor(decade)));
    high = std::max(high, static_cast<int>(std::ceil(decade)));
  }
  // From 0 to kSize.
  [[nodiscard]] double place(double time_ms) const {
    const double decade = std::log10(std::clamp(time_ms, 1e-9, 1e12));
    return (decade - low) / (high - low) * kSize;
  }
};

struct Cloud {
  std::string path;
  std::size_t rows = 0;
  double ape_sum = 0;
};

std::string grid(const Axis& axis) {
  std::string svg;
  for (int decade = axis.low; decade <= axis.high; ++decade) {
    const double at = axis.place(std::pow(10.0, decade));
    const std::string label = short_number(std::pow(10.0, decade));
    svg += line(kLeft + at, kTop, kLeft + at, kTop + kSize, "stroke=\"#dddddd\"");
    svg += line(kLeft, kTop + kSize - at, kLeft + kSize, kTop + kSize - at, "stroke=\"#dddddd\"");
    svg += text_at(kLeft + at, kTop + kSize + 20, "text-anchor=\"middle\"", label);
    svg += text_at(kLeft - 8, kTop + kSize - at + 4, "text-anchor=\"end\"", label);
  }
  svg += line(kLeft, kTop + kSize, kLeft + kSize, kTop, "stroke=\"#555555\" stroke-dasharray=\"6 4\"");
  svg += text_at(kLeft + kSize / 2, kTop + kSize + 44, "text-anchor=\"middle\"", "measured ms");
  svg += "<text transform=\"translate(22 " + fixed(kTop + kSize / 2) +
         ") rotate(-90)\" text-anchor=\"middle\">predicted ms</text>\n";
  return svg;
}

std::string style(std::size_t index) {
  return "fill=\"none\" stroke=\"" + std::string(kColours[index % kColours.size()]) + "\" stroke-width=\"1\"";
}

const char* mark(std::size_t index) { return kMarks[(index + index / kColours.size()) % kMarks.size()]; }

}  // namespace

std::string scatter_as_svg(const Evaluation& evaluation, const RowFiles& rows) {
  std::map<std::string, Cloud> clouds;
  for (const EvaluatedRow& row : evaluation.rows) {
    const Sample& sample = rows.set.samples[row.sample];
    Cloud& cloud = clouds[rows.set.devices[static_cast<std::size_t>(sample.device)].key];
    ++cloud.rows;
    cloud.ape_sum += std::abs(row.prediction.time_ms - sample.time_ms) / sample.time_ms;
  }
  // Every so-many-th row, so that the same rows give the same picture.
  const std::size_t count = evaluation.rows.size();
  const std::size_t drawn = std::min(count, kMostPoints);
  std::vector<const EvaluatedRow*> points;
  Axis axis{100, -100};
  for (std::size_t i = 0; i < drawn; ++i) {
    const EvaluatedRow& row = evaluation.rows[i * count / drawn];
    points.push_back(&row);
    axis.include(rows.set.samples[row.sample].time_ms);
    axis.include(row.prediction.time_ms);
  }
  if (axis.high == axis.low) ++axis.high;
  for (const EvaluatedRow* row : points) {
    const Sample& sample = rows.set.samples[row->sample];
    const auto cloud = clouds.find(rows.set.devices[static_cast<std::size_t>(sample.device)].key);
    const auto index = static_cast<std::size_t>(std::distance(clouds.begin(), cloud));
    cloud->second.path += 'M' + fixed(kLeft + axis.place(sample.time_ms)) + ' ' +
                          fixed(kTop + kSize - axis.place(row->prediction.time_ms)) + mark(index);
  }

  const double width = kLeft + kSize + kLegendWidth;
  const double height =
      std::max(kTop + kSize + 64, kTop + kLegendStep * static_cast<double>(clouds.size()) + 20);
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + fixed(width) + ' ' +
                    fixed(height) + "\" width=\"" + fixed(width) + "\" height=\"" + fixed(height) +
                    "\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\">\n"
                    "<title>Predicted against measured time of single layers</title>\n"
                    "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
  svg += text_at(kLeft, 26, "font-size=\"17\"", "Predicted against measured time of single layers");
  std::string caption = with_thousands(static_cast<double>(count)) + " rows, mean error " +
                        short_number(100 * evaluation.overall.predictor.mape) + " %";
  if (evaluation.held_out) caption += ", kept out of training";
  if (drawn < count) caption += "; " + with_thousands(static_cast<double>(drawn)) + " of them drawn";
  svg += text_at(kLeft, 48, "fill=\"#444444\"", caption);
  svg += grid(axis);
  svg += "<clipPath id=\"plot\"><rect x=\"" + fixed(kLeft) + "\" y=\"" + fixed(kTop) + "\" width=\"" +
         fixed(kSize) + "\" height=\"" + fixed(kSize) + "\"/></clipPath>\n";
  std::size_t index = 0;
  for (const auto& [gpu, cloud] : clouds) {
    svg += "<path clip-path=\"url(#plot)\" " + style(index) + " d=\"" + cloud.path + "\"/>\n";
    const double y = kTop + 12 + kLegendStep * static_cast<double>(index);
    svg += "<path transform=\"translate(" + fixed(kLeft + kSize + 20) + ' ' + fixed(y - 4) + ") scale(3)\" " +
           style(index) + " d=\"M0 0" + mark(index) + "\"/>\n";
    svg += text_at(kLeft + kSize + 32, y, "", gpu);
    svg += text_at(kLeft + kSize + 32, y + 15, "font-size=\"11\" fill=\"#444444\"",
                   with_thousands(static_cast<double>(cloud.rows)) + " rows, " +
                       short_number(100 * cloud.ape_sum / static_cast<double>(cloud.rows)) + " %");
    ++index;
  }
  svg += "<rect x=\"" + fixed(kLeft) + "\" y=\"" + fixed(kTop) + "\" width=\"" + fixed(kSize) +
         "\" height=\"" + fixed(kSize) + "\" fill=\"none\" stroke=\"#333333\"/>\n";
  svg += "</svg>\n";
  return svg;
}

}  // namespace layersim
