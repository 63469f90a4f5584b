#include "sim/evaluation/error_measures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace layersim {
namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

double median(std::vector<double> values) {
  const std::size_t middle = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle), values.end());
  if (values.size() % 2 == 1) return values[middle];
  return (values[middle] +
          *std::max_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle))) /
         2;
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const auto n = static_cast<double>(a.size());
  const double mean_a = std::accumulate(a.begin(), a.end(), 0.0) / n;
  const double mean_b = std::accumulate(b.begin(), b.end(), 0.0) / n;
  double aa = 0;
  double bb = 0;
  double ab = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
    ab += (a[i] - mean_a) * (b[i] - mean_b);
  }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : kUndefined;
}

std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> result(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const double shared = static_cast<double>(begin + end - 1) / 2;
    for (std::size_t i = begin; i < end; ++i) result[order[i]] = shared;
    begin = end;
  }
  return result;
}

}  // namespace

ErrorMeasures measure_errors(std::span<const double> measured_ms, std::span<const double> predicted_ms,
                             std::span<const Interval> intervals_ms) {
  std::vector<double> measured;
  std::vector<double> predicted;
  std::vector<double> apes;
  double squares = 0;
  double inside = 0;
  for (std::size_t i = 0; i < measured_ms.size(); ++i) {
    if (std::isnan(predicted_ms[i])) continue;
    measured.push_back(measured_ms[i]);
    predicted.push_back(predicted_ms[i]);
    const double error_ms = predicted_ms[i] - measured_ms[i];
    apes.push_back(std::abs(error_ms) / measured_ms[i]);
    squares += error_ms * error_ms;
    if (!intervals_ms.empty() && measured_ms[i] >= intervals_ms[i].low &&
        measured_ms[i] <= intervals_ms[i].high)
      ++inside;
  }
  ErrorMeasures measures;
  measures.n = measured.size();
  if (measured.empty()) {
    return {0, kUndefined, kUndefined, kUndefined, kUndefined, kUndefined, kUndefined};
  }
  const auto n = static_cast<double>(measures.n);
  measures.mape = std::accumulate(apes.begin(), apes.end(), 0.0) / n;
  measures.rmse_ms = std::sqrt(squares / n);
  measures.pearson = correlation(measured, predicted);
  measures.spearman = correlation(ranks(measured), ranks(predicted));
  measures.coverage90 = intervals_ms.empty() ? kUndefined : inside / n;
  measures.median_ape = median(std::move(apes));
  return measures;
}

}  // namespace layersim
