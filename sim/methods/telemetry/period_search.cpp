#include "sim/methods/telemetry/period_search.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace layersim {
namespace {

constexpr std::size_t kLeastValues = 24;
constexpr double kLeastCycles = 3;
constexpr double kShare =
    0.6;  // of the highest peak: the shortest period that reaches it counts, not its multiples
constexpr int kMostMultiples = 20;

// How far outliers may reach, and the significance that makes the search end there. Narrow limits drown rare
// deep dips (evaluations) in the pattern of single steps, wide ones let a single stall hide all else.
struct Limit {
  double reach;
  double enough;
};
constexpr std::array<Limit, 3> kLimits{Limit{40, 5.5}, Limit{12, 5}, Limit{4, 4.5}};
constexpr double kFoldFrom = 5;    // below this significance of the autocorrelation folding is tried
constexpr double kFoldEnough = 9;  // in deviations of chi squared; noise stays below
constexpr double kFoldShare = 0.7;
constexpr std::size_t kFoldBins = 12;
constexpr double kFoldLimit = 4;

struct Correlogram {
  std::vector<double> values;
  double noise = 0;  // standard deviation of a value where there is only noise
  std::size_t peak = 0;
  double significance = 0;
};

bool is_peak(const std::vector<double>& values, std::size_t at, std::size_t half) {
  const std::size_t begin = at < half ? 0 : at - half;
  const std::size_t end = std::min(values.size(), at + half + 1);
  for (std::size_t i = begin; i < end; ++i) {
    if (values[i] > values[at]) return false;
  }
  return values[at] > 0;
}

std::optional<Correlogram> correlogram(const Signal& signal, double reach, std::size_t width) {
  const std::size_t count = signal.size();
  const auto lags = static_cast<std::size_t>(static_cast<double>(count) / kLeastCycles);
  Correlogram result;
  result.values = autocorrelation(smoothed(signal, reach, width), count * 4 / 5);
  result.noise = std::sqrt(std::max(1.0, 0.67 * static_cast<double>(width)) / static_cast<double>(count));
  std::size_t first = 1;
  while (first < lags && result.values[first] > 0.15) ++first;
  first = std::max({first, 3 * width, std::size_t{4}});
  std::vector<std::size_t> peaks;
  const std::size_t half = std::max<std::size_t>(1, width / 2);
  for (std::size_t lag = first; lag < lags; ++lag) {
    if (is_peak(result.values, lag, half)) peaks.push_back(lag);
  }
  if (peaks.empty()) return std::nullopt;
  const std::size_t highest =
      *std::max_element(peaks.begin(), peaks.end(),
                        [&](std::size_t a, std::size_t b) { return result.values[a] < result.values[b]; });
  result.peak = *std::find_if(peaks.begin(), peaks.end(), [&](std::size_t lag) {
    return result.values[lag] >= kShare * result.values[highest];
  });
  result.significance = result.values[highest] / result.noise;
  return result;
}

// The smoothing that shows a peak best.
std::optional<Correlogram> best_correlogram(const Signal& signal, double reach) {
  std::optional<Correlogram> best;
  for (std::size_t width = 1; width <= std::max<std::size_t>(1, signal.size() / 30); width *= 2) {
    auto one = correlogram(signal, reach, width);
    if (one && (!best || one->significance > best->significance)) best = std::move(one);
  }
  return best;
}

// Peaks at multiples of the period tell it more precisely.
Period refined(const Correlogram& correlogram) {
  const std::vector<double>& values = correlogram.values;
  Period period{static_cast<double>(correlogram.peak), values[correlogram.peak], correlogram.significance, 0};
  double products = 0;
  double squares = 0;
  double multiples_sum = 0;
  int multiples = 0;
  int used = 0;
  for (int k = 1; k <= kMostMultiples && k * period.length < static_cast<double>(values.size()) - 3; ++k) {
    const double half = k == 1 ? 0 : std::max(1.5, 0.1 * period.length);
    const auto begin = static_cast<std::size_t>(std::max(2.0, std::floor(k * period.length - half)));
    const auto end =
        std::min(values.size() - 2, static_cast<std::size_t>(std::ceil(k * period.length + half)));
    std::size_t peak = k == 1 ? correlogram.peak : begin;
    for (std::size_t lag = begin; k > 1 && lag <= end; ++lag) peak = values[lag] > values[peak] ? lag : peak;
    if (k <= 4) {
      multiples_sum += values[peak];
      ++multiples;
    }
    const bool is_inside = k == 1 || (peak > begin && peak < end);
    if (is_inside && (k == 1 || values[peak] > std::max(2 * correlogram.noise, 0.3 * period.strength))) {
      const double bend = values[peak - 1] - 2 * values[peak] + values[peak + 1];
      const double offset =
          bend < 0 ? std::clamp((values[peak - 1] - values[peak + 1]) / bend / 2, -0.5, 0.5) : 0;
      const double left = 1 - static_cast<double>(peak) / static_cast<double>(values.size());
      const double weight = values[peak] * std::sqrt(std::max(left, 0.05));
      products += weight * k * (static_cast<double>(peak) + offset);
      squares += weight * k * k;
      period.length = products / squares;
      ++used;
    } else if (k >= 3 && used < k - 1) {
      break;
    }
  }
  period.support = std::clamp(multiples_sum / multiples / period.strength, 0.0, 1.0);
  return period;
}

// How much the means of the phases differ: chi squared over its expectation, in its standard deviations.
double fold_significance(const std::vector<double>& values, double variance, double length) {
  std::array<double, kFoldBins> sums{};
  std::array<double, kFoldBins> counts{};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double phase = std::fmod(static_cast<double>(i), length) / length;
    const auto bin = std::min(kFoldBins - 1, static_cast<std::size_t>(phase * kFoldBins));
    sums[bin] += values[i];
    ++counts[bin];
  }
  double chi_squared = 0;
  for (std::size_t bin = 0; bin < kFoldBins; ++bin) {
    if (counts[bin] > 0) chi_squared += sums[bin] * sums[bin] / counts[bin] / variance;
  }
  constexpr double kFreedom = kFoldBins - 1;
  return (chi_squared - kFreedom) / std::sqrt(2 * kFreedom);
}

std::optional<Period> search_by_folding(const Signal& signal) {
  const std::vector<double> values = smoothed(signal, kFoldLimit, 1);
  double variance = 0;
  for (const double value : values) variance += value * value / static_cast<double>(values.size());
  const auto count = static_cast<double>(values.size());
  std::vector<Period> candidates;
  double highest = 0;
  // A step moves the last cycle by half a bin.
  for (double length = kFoldBins; length < count / kLeastCycles;
       length += length * length / count / (2 * kFoldBins)) {
    const double significance = fold_significance(values, variance, length);
    candidates.push_back({length, 0, significance, 1});
    highest = std::max(highest, significance);
  }
  if (highest < kFoldEnough) return std::nullopt;
  const auto first = std::find_if(candidates.begin(), candidates.end(), [&](const Period& one) {
    return one.significance >= kFoldShare * highest;
  });
  // The best of those beside it.
  Period best = *first;
  for (auto one = first; one != candidates.end() && one->length < 1.15 * first->length; ++one) {
    if (one->significance > best.significance) best = *one;
  }
  best.strength = std::min(1.0, best.significance * std::sqrt(2.0 * kFoldBins) / count);
  return best;
}

}  // namespace

std::optional<Period> search_period(const Signal& signal) {
  if (signal.size() < kLeastValues) return std::nullopt;
  std::optional<Correlogram> found;
  for (const Limit& limit : kLimits) {
    auto one = best_correlogram(signal, limit.reach);
    if (!one) continue;
    const bool is_enough = one->significance >= limit.enough;
    if (!found || is_enough || one->significance > found->significance) found = std::move(one);
    if (is_enough) break;
  }
  if (found && found->significance >= kFoldFrom) return refined(*found);
  if (auto by_folding = search_by_folding(signal)) return by_folding;
  if (!found) return std::nullopt;
  return refined(*found);
}

std::optional<Period> search_small_period(const Signal& signal) {
  if (signal.size() < kLeastValues) return std::nullopt;
  const auto found = best_correlogram(signal, kLimits.back().reach);
  if (!found || found->significance < kLimits.back().enough) return std::nullopt;
  return refined(*found);
}

std::vector<double> folded(const Signal& signal, double limit, double length, std::size_t bins) {
  const std::vector<double> values = smoothed(signal, limit, 1);
  std::vector<double> sums(bins, 0);
  std::vector<double> counts(bins, 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double phase = std::fmod(static_cast<double>(i), length) / length;
    const auto bin = std::min(bins - 1, static_cast<std::size_t>(phase * static_cast<double>(bins)));
    sums[bin] += values[i];
    ++counts[bin];
  }
  for (std::size_t bin = 0; bin < bins; ++bin) sums[bin] /= std::max(1.0, counts[bin]);
  return sums;
}

}  // namespace layersim
