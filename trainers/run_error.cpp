#include "trainers/run_error.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace layersim {
namespace {

constexpr double kCoverage = 0.9;
constexpr std::size_t kLeastRuns = 40;  // for an interval of its own

double log_ratio(const RunSet& set, const HeldOutRun& run) {
  return std::log(run.predicted.ms / set.runs[run.run].measured_ms);
}

double ape(const RunSet& set, const HeldOutRun& run) { return std::abs(std::expm1(log_ratio(set, run))); }

// The smallest half-width that holds 90 % of exchangeable runs.
double conformal_quantile(std::vector<double> sizes) {
  std::sort(sizes.begin(), sizes.end());
  const auto rank = static_cast<std::size_t>(std::ceil(kCoverage * static_cast<double>(sizes.size() + 1)));
  return sizes[std::min(std::max<std::size_t>(rank, 1), sizes.size()) - 1];
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

void add_intervals(const RunSet& set, const std::vector<HeldOutRun>& held_out, bool of_new_devices,
                   RunModel& model) {
  std::map<std::pair<RunNovelty, std::string>, std::vector<double>> sizes;
  for (const HeldOutRun& run : held_out) {
    if (set.runs[run.run].is_layer) continue;
    const std::string& stack = set.setting(set.runs[run.run]).stack;
    const double size = std::abs(log_ratio(set, run));
    const RunNovelty novelty = run.predicted.novelty;
    if ((novelty == RunNovelty::device) != of_new_devices) continue;  // beyond the range
    sizes[{novelty, ""}].push_back(size);
    sizes[{novelty, framework_pattern(stack)}].push_back(size);
    sizes[{novelty, stack}].push_back(size);
  }
  for (auto& [runs, of_runs] : sizes) {
    const auto& [novelty, stack] = runs;
    if (!stack.empty() && of_runs.size() < kLeastRuns) continue;
    model.intervals.push_back({stack, novelty, conformal_quantile(std::move(of_runs))});
  }
}

void add_layer_intervals(const RunSet& set, const std::vector<HeldOutRun>& held_out, RunModel& model) {
  for (std::size_t f = 0; f < model.networks.size(); ++f) {
    std::vector<double> sizes;
    for (const HeldOutRun& run : held_out) {
      const MeasuredRun& measured = set.runs[run.run];
      // The first part is the layer itself; what follows is its activation and its gradients.
      const bool of_family =
          measured.is_layer && measured.parts.front().family == static_cast<std::int32_t>(f);
      if (of_family) sizes.push_back(std::abs(log_ratio(set, run)));
    }
    if (sizes.size() < kLeastRuns) continue;
    model.networks[f].intervals = {{"", "", Pass::forward, {}, {conformal_quantile(std::move(sizes))}}};
    for (RunModel& specialist : model.specialists)
      specialist.networks[f].intervals = model.networks[f].intervals;
  }
}

std::vector<KnownRuns> known_runs(const RunSet& set, const std::vector<HeldOutRun>& held_out,
                                  const RunModel& model) {
  std::map<std::tuple<std::string, std::string, std::string, std::string>, KnownRuns> known;
  const auto entry = [&](const MeasuredRun& run) -> KnownRuns& {
    const RunSetting& setting = set.setting(run);
    const std::string precision(name(setting.precision));
    const std::string mode(name(run.mode));
    KnownRuns& runs = known[{setting.device->key, setting.stack, precision, mode}];
    runs.gpu = setting.device->key;
    runs.stack = setting.stack;
    runs.precision = precision;
    runs.mode = mode;
    return runs;
  };
  for (const MeasuredRun& run : set.runs) {
    if (!run.is_layer) ++entry(run).runs;
  }
  for (const HeldOutRun& run : held_out) {
    if (set.runs[run.run].is_layer) continue;
    KnownRuns& runs = entry(set.runs[run.run]);
    ++runs.held_out_runs;
    runs.held_out_mape += ape(set, run);
    const double half_width = run_half_width(model, runs.stack, run.predicted.novelty);
    runs.held_out_coverage += std::abs(log_ratio(set, run)) <= half_width ? 1 : 0;
  }
  std::vector<KnownRuns> list;
  for (auto& [key, runs] : known) {
    if (runs.held_out_runs > 0) {
      runs.held_out_mape /= static_cast<double>(runs.held_out_runs);
      runs.held_out_coverage /= static_cast<double>(runs.held_out_runs);
    }
    list.push_back(std::move(runs));
  }
  return list;
}

std::vector<RunErrors> run_errors(const RunSet& set, const std::vector<HeldOutRun>& held_out) {
  std::map<std::pair<int, std::string>, std::vector<double>> errors;
  for (const HeldOutRun& run : held_out) {
    const MeasuredRun& measured = set.runs[run.run];
    if (measured.is_layer) continue;
    const RunSetting& setting = set.setting(measured);
    const double error = ape(set, run);
    errors[{0, "all"}].push_back(error);
    if (run.predicted.novelty != RunNovelty::device)
      errors[{0, run.predicted.novelty == RunNovelty::none ? "layers known" : "layers new"}].push_back(error);
    errors[{1, "stack " + setting.stack + ' ' + std::string(name(setting.precision)) + ' ' +
                   std::string(name(measured.mode))}]
        .push_back(error);
    errors[{2, "gpu " + setting.device->key}].push_back(error);
    errors[{3, "family " + measured.network_family}].push_back(error);
    errors[{4, "network " + measured.network + " (" + framework_pattern(setting.stack) + ")"}].push_back(
        error);
  }
  std::vector<RunErrors> list;
  for (auto& [key, values] : errors) {
    double sum = 0;
    for (const double value : values) sum += value;
    list.push_back(
        {key.second, values.size(), sum / static_cast<double>(values.size()), median(std::move(values))});
  }
  return list;
}

double ordered_pairs(const RunSet& set, const std::vector<HeldOutRun>& held_out) {
  constexpr double kDifferent = 1.1;
  // Parts and host work tell the workload: the same network at the same batch.
  std::map<std::tuple<std::string, std::string, std::string, int, double, double>, std::vector<HeldOutRun>>
      workloads;
  for (const HeldOutRun& run : held_out) {
    const MeasuredRun& measured = set.runs[run.run];
    if (measured.is_layer) continue;
    const RunSetting& setting = set.setting(measured);
    workloads[{measured.network, framework_pattern(setting.stack), std::string(name(setting.precision)),
               static_cast<int>(measured.mode), measured.host.kernels, measured.host.input_bytes}]
        .push_back(run);
  }
  std::size_t pairs = 0, right = 0;
  for (const auto& [key, runs] : workloads) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      for (std::size_t k = i + 1; k < runs.size(); ++k) {
        const MeasuredRun& a = set.runs[runs[i].run];
        const MeasuredRun& b = set.runs[runs[k].run];
        if (set.setting(a).device == set.setting(b).device) continue;
        const double ratio = a.measured_ms / b.measured_ms;
        if (ratio < kDifferent && ratio > 1 / kDifferent) continue;
        ++pairs;
        if ((ratio > 1) == (runs[i].predicted.ms > runs[k].predicted.ms)) ++right;
      }
    }
  }
  return pairs == 0 ? 1 : static_cast<double>(right) / static_cast<double>(pairs);
}

}  // namespace layersim
