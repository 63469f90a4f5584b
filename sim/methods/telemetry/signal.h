#pragma once
// A metric as a regular series, ready for the search of periods.

#include <span>
#include <vector>

namespace layersim {

struct Signal {
  double begin_s = 0;  // of the part in which the device worked
  double end_s = 0;
  double step_s = 0;           // between values
  std::vector<double> values;  // drift taken off, in robust standard deviations

  [[nodiscard]] std::size_t size() const { return values.size(); }
};

// Interpolated to at most 2000 values; without an idle head and tail. Empty when the metric does not vary.
[[nodiscard]] Signal make_signal(std::span<const double> times_s, std::span<const double> values);

// Values limited to -limit..limit, then averaged over `width` of them, mean taken off.
[[nodiscard]] std::vector<double> smoothed(const Signal& signal, double limit, std::size_t width);

// result[lag] for lag < lags; 1 at lag 0. Means over the pairs that there are.
[[nodiscard]] std::vector<double> autocorrelation(const std::vector<double>& values, std::size_t lags);

[[nodiscard]] double median_of(std::vector<double> values);
// The value below which the share lies.
[[nodiscard]] double quantile_of(std::vector<double> values, double share);

}  // namespace layersim
