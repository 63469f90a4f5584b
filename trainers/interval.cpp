#include "trainers/interval.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace layersim {
namespace {

constexpr double kCoverage = 0.9;
constexpr std::size_t kBuckets = 3;
constexpr std::size_t kRowsPerBucket = 40;
// Cells with fewer rows than kEnoughRows are drawn towards the quantile of their stack, which counts as
// kPriorRows of their own; stacks with fewer rows share one quantile.
constexpr std::size_t kEnoughRows = 200;
constexpr double kPriorRows = 30;
constexpr std::size_t kLeastRows = 10;

struct Residual {
  double log_ms = 0;  // predicted
  double size = 0;    // |log(predicted / measured)|
};

std::vector<double> sizes_of(std::span<const Residual> residuals) {
  std::vector<double> sizes;
  for (const Residual& residual : residuals) sizes.push_back(residual.size);
  return sizes;
}

double cell_half_width(std::span<const Residual> residuals, double prior) {
  if (residuals.size() < kLeastRows) return prior;
  const double own = conformal_quantile(sizes_of(residuals));
  const auto rows = static_cast<double>(residuals.size());
  if (residuals.size() >= kEnoughRows) return own;
  const double log_mean =
      (rows * std::log(std::max(own, 1e-6)) + kPriorRows * std::log(std::max(prior, 1e-6))) /
      (rows + kPriorRows);
  return std::exp(log_mean);
}

void fill_buckets(IntervalTable& table, std::vector<Residual>& residuals, double prior) {
  std::sort(residuals.begin(), residuals.end(),
            [](const Residual& a, const Residual& b) { return a.log_ms < b.log_ms; });
  const std::size_t buckets = residuals.size() >= kBuckets * kRowsPerBucket ? kBuckets : 1;
  for (std::size_t b = 0; b < buckets; ++b) {
    const std::size_t begin = residuals.size() * b / buckets;
    const std::size_t end = residuals.size() * (b + 1) / buckets;
    const std::span<const Residual> cell(residuals.data() + begin, end - begin);
    table.half_width.push_back(cell_half_width(cell, prior));
    if (b + 1 < buckets) table.upper_ms.push_back(std::exp(residuals[end - 1].log_ms));
  }
}

// Quantile of the residuals of each stack.
std::vector<double> stack_quantiles(const std::vector<std::vector<double>>& sizes_by_stack) {
  std::vector<double> small;
  for (const auto& sizes : sizes_by_stack) {
    if (sizes.size() < kEnoughRows) small.insert(small.end(), sizes.begin(), sizes.end());
  }
  std::vector<double> quantiles;
  for (const auto& sizes : sizes_by_stack) {
    if (sizes.size() >= kEnoughRows) {
      quantiles.push_back(conformal_quantile(sizes));
    } else {
      quantiles.push_back(small.empty() ? 0 : conformal_quantile(small));
    }
  }
  return quantiles;
}

}  // namespace

double conformal_quantile(std::vector<double> sizes) {
  const auto rank = static_cast<std::size_t>(std::ceil(static_cast<double>(sizes.size() + 1) * kCoverage));
  const std::size_t place = std::min(rank, sizes.size()) - 1;
  std::nth_element(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(place), sizes.end());
  return sizes[place];
}

std::vector<IntervalTable> make_intervals(const SampleSet& set, std::span<const std::size_t> samples,
                                          std::span<const TimeEstimate> estimates) {
  if (samples.empty()) return {};
  using Key = std::tuple<std::int32_t, std::int32_t, Pass>;
  std::map<Key, std::vector<Residual>> groups;
  std::vector<double> all_sizes;
  std::vector<std::vector<double>> sizes_by_stack(set.stacks.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Sample& sample = set.samples[samples[i]];
    const double log_ms = static_cast<double>(estimates[i].log_ms);
    const Residual residual{log_ms, std::abs(log_ms - std::log(sample.time_ms))};
    groups[{sample.device, sample.stack, sample.pass}].push_back(residual);
    all_sizes.push_back(residual.size);
    sizes_by_stack[static_cast<std::size_t>(sample.stack)].push_back(residual.size);
  }
  const std::vector<double> priors = stack_quantiles(sizes_by_stack);
  std::vector<IntervalTable> tables{{.gpu = {},
                                     .stack = {},
                                     .pass = Pass::forward,
                                     .upper_ms = {},
                                     .half_width = {conformal_quantile(all_sizes)}}};
  std::vector<double> ratios;
  for (auto& [key, residuals] : groups) {
    const auto& [device, stack, pass] = key;
    IntervalTable table{set.devices[static_cast<std::size_t>(device)].key,
                        set.stacks[static_cast<std::size_t>(stack)],
                        pass,
                        {},
                        {}};
    fill_buckets(table, residuals, priors[static_cast<std::size_t>(stack)]);
    for (const Residual& residual : residuals) {
      ratios.push_back(residual.size / half_width(table, std::exp(residual.log_ms)));
    }
    tables.push_back(std::move(table));
  }
  // Shrinking moved the cells away from their own quantiles: one factor brings their coverage back.
  const double correction = conformal_quantile(ratios);
  for (std::size_t i = 1; i < tables.size(); ++i) {
    for (double& width : tables[i].half_width) width *= correction;
  }
  return tables;
}

}  // namespace layersim
