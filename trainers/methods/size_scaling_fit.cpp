#include "trainers/methods/size_scaling_fit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace layersim {
namespace {

constexpr std::size_t kLeastSizes = 3;

struct Weighted {
  double value = 0;
  double weight = 0;
};

// The value with the least weighted sum of distances from all.
double weighted_median(std::vector<Weighted> values) {
  std::sort(values.begin(), values.end(),
            [](const Weighted& a, const Weighted& b) { return a.value < b.value; });
  double total = 0;
  for (const Weighted& item : values) total += item.weight;
  double sum = 0;
  for (const Weighted& item : values) {
    sum += item.weight;
    if (sum >= total / 2) return item.value;
  }
  return 0;
}

}  // namespace

std::vector<SizeSeries> size_series(const std::vector<TransferSet::TimedWorkload>& times, SizeAxis axis) {
  std::map<std::tuple<std::string, std::string, std::int64_t>, std::vector<SizedTime>> groups;
  for (const auto& workload : times) {
    const bool by_batch = axis == SizeAxis::batch;
    groups[{workload.gpu, workload.network, by_batch ? workload.pixel : workload.batch}].push_back(
        {static_cast<double>(by_batch ? workload.batch : workload.pixel), workload.time_ms});
  }
  std::vector<SizeSeries> series;
  for (auto& [key, sizes] : groups) {
    std::sort(sizes.begin(), sizes.end(),
              [](const SizedTime& a, const SizedTime& b) { return a.size < b.size; });
    if (sizes.size() < kLeastSizes || sizes.front().size <= 0) continue;
    series.push_back({std::get<0>(key), std::get<1>(key), std::move(sizes)});
  }
  return series;
}

SizeScaling fit_size_scaling(const std::vector<SizeSeries>& series, const std::string& gpu, SizeAxis axis,
                             const std::string& left_out) {
  std::vector<Weighted> curvatures;
  for (const SizeSeries& one : series) {
    if (one.gpu != gpu || one.network == left_out) continue;
    const SizedTime& first = one.times.front();
    const SizedTime& last = one.times.back();
    for (std::size_t i = 1; i + 1 < one.times.size(); ++i) {
      const double x = scaled_size(axis, first.size, last.size, one.times[i].size);
      const double bend = x * (x - 1) * (last.time_ms - first.time_ms);
      const double straight_ms = first.time_ms + x * (last.time_ms - first.time_ms);
      if (bend == 0) continue;
      curvatures.push_back(
          {(one.times[i].time_ms - straight_ms) / bend, std::abs(bend) / one.times[i].time_ms});
    }
  }
  return {gpu, axis, weighted_median(std::move(curvatures))};
}

}  // namespace layersim
