#include "sim/methods/telemetry/log_cells.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "sim/methods/common/text_input.h"

namespace layersim {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
// No device of today or of the next years has more: W, %, %, MiB, MHz. Parallel to kMetrics.
constexpr std::array<double, kMetrics.size()> kMost{20'000, 100, 100, 4'000'000, 20'000};

// "[N/A]", "N/A", "[Not Supported]", "[Unknown Error]", "-", an empty cell.
bool is_not_told(std::string_view cell) {
  return cell.empty() || cell == "-" || cell.starts_with('[') || lower_case(cell) == "n/a" || cell == "ERR!";
}

bool is_unit(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return c == ' ' || c == '%' || c == '/' || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  });
}

}  // namespace

double LogCells::read(std::size_t metric, std::string_view cell, std::size_t line) {
  if (is_not_told(cell)) return kMissing;
  double value = 0;
  const char* const end_of_cell = cell.data() + cell.size();
  const auto [end, error] = std::from_chars(cell.data(), end_of_cell, value);
  const bool is_number = error == std::errc{} && std::isfinite(value) &&
                         is_unit({end, static_cast<std::size_t>(end_of_cell - end)});
  if (is_number && value >= 0 && value <= kMost[metric]) return value;
  constexpr std::size_t kMostShown = 40;
  Refused& refused = refused_[metric];
  if (refused.count++ == 0)
    refused.first = "line " + std::to_string(line) + ": '" + std::string(cell.substr(0, kMostShown)) + "'";
  return kMissing;
}

void LogCells::add_warnings(std::vector<std::string>& warnings) const {
  for (std::size_t metric = 0; metric < kMetrics.size(); ++metric) {
    const Refused& refused = refused_[metric];
    if (refused.count == 0) continue;
    warnings.push_back(std::to_string(refused.count) + " cells of " + std::string(kMetrics[metric]) +
                       " that no device can have were left out, the first in " + refused.first);
  }
}

}  // namespace layersim
