#include "sim/methods/telemetry/find_epochs.h"

#include <algorithm>
#include <cmath>

#include "sim/methods/telemetry/period_search.h"

namespace layersim {
namespace {

constexpr double kWide = 40;
constexpr double kLimitOfSmall = 4;
constexpr std::size_t kPhases = 24;
constexpr double kDeep = 3;         // a mark this many times deeper than another is not of the same kind
constexpr double kMarked = 12;      // deviations: marks that are seen in single cycles
constexpr double kStrong = 0.6;     // autocorrelation of a signal whose every cycle is seen
constexpr double kSeenShare = 0.5;  // of the usual size of marks
constexpr double kStall = 2;        // boundaries this much farther apart than the period

struct Found {
  const MetricSeries* series = nullptr;
  Signal signal;
  Period period;
  double confidence = 0;
};

double confidence_of(const Period& period, double cycles) {
  const double sure = std::clamp((period.significance - 4) / 8, 0.0, 1.0);
  const double repeats = std::clamp((cycles - 1) / 3, 0.0, 1.0);
  return sure * period.support * repeats;
}

double depth(const std::vector<double>& phases) {
  double most = 0;
  for (const double value : phases) most = std::max(most, std::abs(value));
  return most;
}

std::optional<Found> best_metric(const TelemetryLog& log) {
  std::optional<Found> best;
  for (const MetricSeries& series : log.metrics) {
    Found found{&series, make_signal(log.times_s, series.values), {}, 0};
    const auto period = search_period(found.signal);
    if (!period) continue;
    found.period = *period;
    found.confidence = confidence_of(*period, static_cast<double>(found.signal.size()) / period->length);
    if (!best || found.confidence > best->confidence) best = std::move(found);
  }
  return best;
}

// Whole number of times that the short period fits into the long one; 0: it does not.
int multiple_of(double longer, double shorter) {
  const double ratio = longer / shorter;
  const double whole = std::round(ratio);
  return whole >= 2 && std::abs(ratio - whole) < 0.04 * whole ? static_cast<int>(whole) : 0;
}

// Marks are where the folded signal lies farthest from its mean; they are the boundaries. Where most marks
// stand far out of the noise, cycles before the first and after the last of them are left out; where they do
// not, none is placed.
std::vector<double> find_marks(const Found& found) {
  const Signal& signal = found.signal;
  const double length = found.period.length;
  const std::vector<double> phases = folded(signal, kWide, length, kPhases);
  std::size_t mark = 0;
  for (std::size_t i = 0; i < phases.size(); ++i)
    mark = std::abs(phases[i]) > std::abs(phases[mark]) ? i : mark;
  const double direction = phases[mark] < 0 ? -1 : 1;
  const double at = (static_cast<double>(mark) + 0.5) / static_cast<double>(kPhases) * length;
  std::vector<double> extremes;  // where the signal lies farthest out near the center
  std::vector<double> sizes;
  for (double center = at; center < static_cast<double>(signal.size()); center += length) {
    const double half = std::max(1.5, 0.08 * length);
    const auto begin = static_cast<std::size_t>(std::max(0.0, center - half));
    const auto end = std::min(signal.size(), static_cast<std::size_t>(center + half) + 1);
    std::size_t extreme = begin;
    for (std::size_t i = begin; i < end; ++i) {
      if (direction * signal.values[i] > direction * signal.values[extreme]) extreme = i;
    }
    extremes.push_back(static_cast<double>(extreme));
    sizes.push_back(direction * signal.values[extreme]);
  }
  const double usual = quantile_of(sizes, 0.75);
  if (usual < kMarked && found.period.strength < kStrong) return {};
  const auto is_seen = [&](double size) { return size > kSeenShare * usual; };
  const auto first = std::find_if(sizes.begin(), sizes.end(), is_seen) - sizes.begin();
  const auto last = std::find_if(sizes.rbegin(), sizes.rend(), is_seen).base() - sizes.begin();
  return {extremes.begin() + first, extremes.begin() + last};
}

void add_boundaries(EpochsFound& epochs, const Found& found) {
  const double step_s = found.signal.step_s;
  const double period_s = *epochs.period_s;
  for (const double mark : find_marks(found))
    epochs.boundaries_s.push_back(found.signal.begin_s + mark * step_s);
  if (epochs.boundaries_s.empty()) {
    epochs.warnings.emplace_back(
        "the marks of single epochs are too weak to place: counted from the begin of the run");
    for (double at_s = found.signal.begin_s; at_s <= found.signal.end_s + 0.15 * period_s; at_s += period_s)
      epochs.boundaries_s.push_back(at_s);
    epochs.epochs = static_cast<int>(epochs.boundaries_s.size()) - 1;
    return;
  }
  // The run begins and ends with an epoch, of which the mark may lie outside.
  if (epochs.boundaries_s.front() - found.signal.begin_s > period_s / 2)
    epochs.boundaries_s.insert(epochs.boundaries_s.begin(), found.signal.begin_s);
  if (found.signal.end_s - epochs.boundaries_s.back() > 0.85 * period_s)
    epochs.boundaries_s.push_back(found.signal.end_s);
  epochs.epochs = static_cast<int>(epochs.boundaries_s.size()) - 1;
  for (std::size_t i = 1; i < epochs.boundaries_s.size(); ++i) {
    const double gap_s = epochs.boundaries_s[i] - epochs.boundaries_s[i - 1];
    if (gap_s < kStall * period_s) continue;
    epochs.warnings.push_back("no mark for " + std::to_string(std::lround(gap_s)) + " s from " +
                              std::to_string(std::lround(epochs.boundaries_s[i - 1])) +
                              " s on: a long first block or a stall");
  }
}

// A shorter period under the one found: either its cycles are the epochs and the longer ones evaluations, or
// it is too small a mark for that.
void tell_periods(EpochsFound& epochs, Found& found) {
  const double step_s = found.signal.step_s;
  const auto small = search_small_period(found.signal);
  const int times = small ? multiple_of(found.period.length, small->length) : 0;
  if (times == 0) {
    epochs.periods = {{found.period.length * step_s, found.period.strength, "epoch"}};
    return;
  }
  const double long_depth = depth(folded(found.signal, kWide, found.period.length, kPhases));
  const double short_depth = depth(folded(found.signal, kLimitOfSmall, small->length, kPhases));
  const std::string every = "every " + std::to_string(times) + " of the shorter period";
  PeriodFound longer{found.period.length * step_s, found.period.strength, ""};
  PeriodFound shorter{small->length * step_s, small->strength, ""};
  if (long_depth > kDeep * short_depth) {
    longer.may_be = "evaluation, checkpoint or epoch, " + every;
    shorter.may_be = "group of steps";
    epochs.periods = {longer, shorter};
    return;
  }
  longer.may_be = "evaluation or checkpoint, " + every;
  shorter.may_be = "epoch";
  epochs.periods = {shorter, longer};
  found.period = *small;
  found.confidence = confidence_of(*small, static_cast<double>(found.signal.size()) / small->length);
}

}  // namespace

EpochsFound find_epochs(const TelemetryLog& log) {
  EpochsFound epochs;
  epochs.warnings = log.warnings;
  auto found = best_metric(log);
  epochs.active_end_s = log.times_s.back();
  if (found) {
    tell_periods(epochs, *found);
    epochs.active_begin_s = found->signal.begin_s;
    epochs.active_end_s = found->signal.end_s;
  }
  if (!found || found->confidence < EpochsFound::kTold) {
    epochs.periods.clear();
    epochs.warnings.emplace_back("not sure: no metric repeats itself, no period was found");
    return epochs;
  }
  epochs.metric = found->series->metric;
  epochs.period_s = epochs.periods.front().period_s;
  epochs.confidence = found->confidence;
  add_boundaries(epochs, *found);
  if (epochs.confidence < EpochsFound::kSure) {
    epochs.warnings.emplace_back("not sure: the signal carries the period weakly (confidence below " +
                                 std::to_string(EpochsFound::kSure).substr(0, 3) + ")");
  }
  return epochs;
}

}  // namespace layersim
