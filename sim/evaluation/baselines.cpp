#include "sim/evaluation/baselines.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <tuple>

#include "sim/features/roofline_time.h"

namespace layersim {
namespace {

constexpr std::uint64_t kFoldSeed = 1000003;  // other parts than training makes with small seeds

struct Sums {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;

  void add(double flop, double time_ms) {
    n += 1;
    x += flop;
    y += time_ms;
    xx += flop * flop;
    xy += flop * time_ms;
  }
  [[nodiscard]] Sums without(const Sums& other) const {
    return {n - other.n, x - other.x, y - other.y, xx - other.xx, xy - other.xy};
  }
  // Of the least-squares line, not below 0. Where all rows have the same FLOP: the mean time.
  [[nodiscard]] double time_ms(double flop) const {
    const double mean_x = x / n;
    const double mean_y = y / n;
    const double variance = xx / n - mean_x * mean_x;
    if (!(variance > 1e-12 * xx / n)) return mean_y;
    const double slope = (xy / n - mean_x * mean_y) / variance;
    return std::max(mean_y + slope * (flop - mean_x), 0.0);
  }
};
using Folds = std::array<Sums, kLinearFolds>;

double flop_of(const Sample& sample) {
  const LayerWork& work = sample.work;
  const double backward = work.backward_data.flop + work.backward_weight.flop;
  switch (sample.pass) {
    case Pass::forward:
      return work.forward.flop;
    case Pass::training:
      return work.forward.flop + (sample.has_gradient ? backward : 0);
    case Pass::backward:
      return backward;
    case Pass::backward_data:
      return work.backward_data.flop;
    case Pass::backward_weight:
      return work.backward_weight.flop;
  }
  return 0;
}

std::size_t fold_of(const Sample& sample) {
  return static_cast<std::size_t>(split_position(sample.configuration, kFoldSeed) * kLinearFolds);
}

}  // namespace

double roofline_ms(const SampleSet& set, const Sample& sample) {
  const FeatureQuery query = set.query(sample);
  const RooflineTime time = roofline_time(query.layer, set.conditions(sample));
  switch (sample.pass) {
    case Pass::backward:
      return time.backward_data_ms + time.backward_weight_ms;
    case Pass::backward_data:
      return time.backward_data_ms;
    case Pass::backward_weight:
      return time.backward_weight_ms;
    case Pass::forward:
    case Pass::training:
      break;
  }
  return time.total_ms();
}

std::vector<double> linear_ms(const SampleSet& set, std::span<const std::size_t> samples) {
  using Key = std::tuple<std::int32_t, std::int32_t, Precision, const LayerKind*, Pass>;
  const auto key_of = [](const Sample& sample) {
    return Key{sample.device, sample.stack, sample.precision, sample.problem.kind, sample.pass};
  };
  std::map<Key, Folds> groups;
  for (const std::size_t i : samples) {
    const Sample& sample = set.samples[i];
    groups[key_of(sample)].at(fold_of(sample)).add(flop_of(sample), sample.time_ms);
  }
  std::map<Key, Sums> totals;
  for (const auto& [key, folds] : groups) {
    Sums& total = totals[key];
    for (const Sums& fold : folds)
      total = {total.n + fold.n, total.x + fold.x, total.y + fold.y, total.xx + fold.xx, total.xy + fold.xy};
  }
  std::vector<double> times;
  times.reserve(samples.size());
  for (const std::size_t i : samples) {
    const Sample& sample = set.samples[i];
    const Key key = key_of(sample);
    const Sums& total = totals.at(key);
    const Sums others = total.without(groups.at(key).at(fold_of(sample)));
    const bool enough = total.n >= static_cast<double>(kLeastLinearRows) && others.n >= 2;
    times.push_back(enough ? others.time_ms(flop_of(sample)) : std::numeric_limits<double>::quiet_NaN());
  }
  return times;
}

}  // namespace layersim
