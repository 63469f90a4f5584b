#include "trainers/methods/plain_models.h"

#include <algorithm>

#include "sim/methods/telemetry/signal.h"

namespace layersim {
namespace {

bool has(const RegressionTable& table, const char* name) {
  return std::find(table.features.begin(), table.features.end(), name) != table.features.end();
}

}  // namespace

PlainModels::PlainModels(const RegressionTable& table) : features_(table.features) {
  if (!has(table, "roofline_ms") || !has(table, "conv_gb")) return;
  names_ = {"paleo", "roofline"};
  std::vector<double> shares;
  for (const RegressionRow& row : table.rows) {
    shares.push_back(sheet_ms(row) / std::max(row.target_ms - exchange_ms(row), row.target_ms / 10));
  }
  reached_ = quantile_of(shares, 0.5);
}

std::vector<double> PlainModels::predict_ms(const RegressionRow& row) const {
  if (names_.empty()) return {};
  return {sheet_ms(row) / reached_ + exchange_ms(row), value(row, "roofline_ms")};
}

double PlainModels::value(const RegressionRow& row, std::string_view name) const {
  const auto found = std::find(features_.begin(), features_.end(), name);
  return row.features[static_cast<std::size_t>(found - features_.begin())];
}

double PlainModels::sheet_ms(const RegressionRow& row) const {
  constexpr double kMsPerS = 1e3;
  return (value(row, "conv_gflop") + value(row, "product_gflop")) / value(row, "sustained_tflops") +
         kMsPerS * (value(row, "conv_gb") + value(row, "other_gb")) / value(row, "bandwidth_gb_s");
}

double PlainModels::exchange_ms(const RegressionRow& row) const {
  const double exchanged_mb = value(row, "exchanged_mb");
  return exchanged_mb == 0 ? 0 : exchanged_mb / value(row, "link_gb_s");  // 1 MB over 1 GB/s takes 1 ms
}

}  // namespace layersim
