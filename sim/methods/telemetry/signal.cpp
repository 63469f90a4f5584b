#include "sim/methods/telemetry/signal.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace layersim {
namespace {

constexpr std::size_t kMostValues = 2000;
constexpr double kVaries = 0.15;         // an idle head stands out by that share of the level at work
constexpr double kToDeviation = 1.4826;  // median distance to standard deviation, of a normal distribution

struct Series {
  std::vector<double> times_s;
  std::vector<double> values;
};

// Without the readings that are missing or not later than the one before.
Series known_part(std::span<const double> times_s, std::span<const double> values) {
  Series series;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i]) || (!series.times_s.empty() && times_s[i] <= series.times_s.back())) continue;
    series.times_s.push_back(times_s[i]);
    series.values.push_back(values[i]);
  }
  return series;
}

// From the first to the last reading nearer to the level at work than to the lowest.
void drop_idle_ends(Series& series) {
  const double low = quantile_of(series.values, 0.02);
  const double high = quantile_of(series.values, 0.75);
  if (!(high - low > kVaries * std::abs(high))) return;
  const auto works = [&](double value) { return value > (low + high) / 2; };
  const auto first = std::find_if(series.values.begin(), series.values.end(), works);
  const auto last = std::find_if(series.values.rbegin(), series.values.rend(), works).base();
  const auto begin = first - series.values.begin();
  const auto end = last - series.values.begin();
  series.values = {first, last};
  series.times_s = {series.times_s.begin() + begin, series.times_s.begin() + end};
}

std::vector<double> resampled(const Series& series, double step_s) {
  std::vector<double> values;
  std::size_t next = 1;
  for (double time_s = series.times_s.front(); time_s < series.times_s.back(); time_s += step_s) {
    while (next + 1 < series.times_s.size() && series.times_s[next] < time_s) ++next;
    const double share =
        (time_s - series.times_s[next - 1]) / (series.times_s[next] - series.times_s[next - 1]);
    values.push_back(series.values[next - 1] + share * (series.values[next] - series.values[next - 1]));
  }
  return values;
}

// The running median over a third of the log is its slow drift. Computed at every 16th value or so: it is
// slow.
void take_off_drift(std::vector<double>& values) {
  const auto count = static_cast<std::ptrdiff_t>(values.size());
  const std::ptrdiff_t half = std::max<std::ptrdiff_t>(5, count / 6);
  const std::ptrdiff_t stride = std::max<std::ptrdiff_t>(1, count / 250);
  std::vector<double> drift(values.size());
  for (std::ptrdiff_t i = 0; i < count; i += stride) {
    const auto begin = values.begin() + std::max<std::ptrdiff_t>(0, i - half);
    const auto end = values.begin() + std::min(count, i + half + 1);
    const double middle = median_of({begin, end});
    for (std::ptrdiff_t j = i; j < std::min(count, i + stride); ++j)
      drift[static_cast<std::size_t>(j)] = middle;
  }
  for (std::size_t i = 0; i < values.size(); ++i) values[i] -= drift[i];
}

}  // namespace

Signal make_signal(std::span<const double> times_s, std::span<const double> values) {
  Series series = known_part(times_s, values);
  if (series.values.size() < 3) return {};
  drop_idle_ends(series);
  if (series.values.size() < 3) return {};
  std::vector<double> gaps;
  for (std::size_t i = 1; i < series.times_s.size(); ++i)
    gaps.push_back(series.times_s[i] - series.times_s[i - 1]);
  Signal signal;
  signal.begin_s = series.times_s.front();
  signal.end_s = series.times_s.back();
  signal.step_s =
      std::max(median_of(gaps), (signal.end_s - signal.begin_s) / static_cast<double>(kMostValues));
  signal.values = resampled(series, signal.step_s);
  take_off_drift(signal.values);
  std::vector<double> distances;
  double squares = 0;
  for (const double value : signal.values) {
    distances.push_back(std::abs(value));
    squares += value * value;
  }
  // A metric that stands still most of the time has no median distance.
  double scale = kToDeviation * median_of(distances);
  if (scale < 1e-9) scale = std::sqrt(squares / static_cast<double>(signal.values.size()));
  if (scale < 1e-9) return {};
  for (double& value : signal.values) value /= scale;
  return signal;
}

std::vector<double> smoothed(const Signal& signal, double limit, std::size_t width) {
  std::vector<double> sums{0};
  for (const double value : signal.values) sums.push_back(sums.back() + std::clamp(value, -limit, limit));
  const std::size_t count = signal.size();
  std::vector<double> result(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t begin = i < width / 2 ? 0 : i - width / 2;
    const std::size_t end = std::min(count, begin + width);
    result[i] = (sums[end] - sums[begin]) / static_cast<double>(end - begin);
  }
  const double mean = std::accumulate(result.begin(), result.end(), 0.0) / static_cast<double>(count);
  for (double& value : result) value -= mean;
  return result;
}

std::vector<double> autocorrelation(const std::vector<double>& values, std::size_t lags) {
  std::vector<double> result(lags, 0);
  for (std::size_t lag = 0; lag < lags; ++lag) {
    double sum = 0;
    for (std::size_t i = lag; i < values.size(); ++i) sum += values[i] * values[i - lag];
    result[lag] = sum / static_cast<double>(values.size() - lag);
  }
  const double variance = result.front();
  for (double& value : result) value = variance > 0 ? value / variance : 0;
  return result;
}

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double quantile_of(std::vector<double> values, double share) {
  const auto at =
      values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace layersim
