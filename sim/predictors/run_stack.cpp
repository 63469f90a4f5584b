#include "sim/predictors/run_stack.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>

namespace layersim {
namespace {

constexpr std::int64_t kLeastRuns = 10;
constexpr double kKnownWell = 0.15;

// Release dates of frameworks, for the order of stacks: pytorch.org and tensorflow.org, release notes.
struct Release {
  std::string_view stack;
  double year;
};
constexpr std::array kReleases{Release{"torch7", 2012},       Release{"tf1.10", 2018.6},
                               Release{"pytorch1.0", 2018.9}, Release{"pytorch", 2019},
                               Release{"pytorch1.4", 2020.0}, Release{"tf2.5", 2021.4},
                               Release{"pytorch2.1", 2023.8}, Release{"pytorch2.4.1", 2024.7}};

double year_of(std::string_view stack) {
  for (const Release& release : kReleases) {
    if (release.stack == stack) return release.year;
  }
  return 0;
}

struct StackRecord {
  std::int64_t runs = 0;
  std::int64_t held_out = 0;
  double error_sum = 0;

  [[nodiscard]] bool known_well() const {
    return runs >= kLeastRuns && held_out > 0 && error_sum <= kKnownWell * static_cast<double>(held_out);
  }
};

std::string newest_known_well(const RunModel& model, std::string_view gpu) {
  std::map<std::string, StackRecord> records;
  for (const KnownRuns& known : model.known) {
    if (known.gpu != gpu || known.runs == 0) continue;
    StackRecord& record = records[known.stack];
    record.runs += known.runs;
    record.held_out += known.held_out_runs;
    record.error_sum += known.held_out_mape * static_cast<double>(known.held_out_runs);
  }
  std::string best;
  for (const auto& [stack, record] : records) {
    if (best.empty()) {
      best = stack;
      continue;
    }
    const StackRecord& current = records.at(best);
    const bool better = record.known_well() != current.known_well() ? record.known_well()
                        : record.known_well()                       ? year_of(stack) > year_of(best)
                                                                    : record.runs > current.runs;
    if (better) best = stack;
  }
  return best;
}

}  // namespace

double device_distance(const Device& a, const Device& b) {
  if (a.key == b.key) return 0;
  const double peak = std::log(a.peak_fp32_gflops / b.peak_fp32_gflops);
  const double bandwidth = std::log(a.memory_bandwidth_gb_s / b.memory_bandwidth_gb_s);
  const double technology = a.technology == b.technology ? 0 : a.manufacturer == b.manufacturer ? 10 : 20;
  return 1e-3 + std::abs(peak) + std::abs(bandwidth) + technology;
}

std::string default_stack(const RunModel& model, const Device& device, const DeviceDb& devices) {
  if (std::string own = newest_known_well(model, device.key); !own.empty()) return own;
  std::set<std::string> gpus;
  for (const KnownRuns& known : model.known) {
    if (known.runs > 0) gpus.insert(known.gpu);
  }
  std::string best;
  auto best_rank = std::tuple(true, std::numeric_limits<double>::max(), 0.0);
  for (const std::string& gpu : gpus) {
    const std::string stack = newest_known_well(model, gpu);
    // Software that came out before the device does not know it.
    const double year = year_of(stack);  // 0: not known
    const double years_before = year > 0 ? std::max(device.year - year, 0.0) : 0;
    const Device known = devices.find(gpu);
    const auto rank =
        std::tuple(known.manufacturer != device.manufacturer, years_before, device_distance(known, device));
    if (rank >= best_rank) continue;
    best_rank = rank;
    best = stack;
  }
  return best;
}

}  // namespace layersim
