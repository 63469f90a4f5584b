#include "sim/runs/run_checks.h"

#include <array>
#include <cstdio>

#include "sim/runs/baseline.h"

namespace layersim {
namespace {

// 0.0785 -> "7.85 %"
std::string percent_text(double share) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g %%", 100 * share);
  return text.data();
}

RunCheck check_mape(const Validation& validation, double limit) {
  if (validation.overall.n == 0) {
    return {.name = "--max-mape", .holds = false, .result = "no run was predicted", .failing_runs = {}};
  }
  const double mape = validation.overall.mape;
  return {.name = "--max-mape",
          .holds = mape <= limit,
          .result = "MAPE " + percent_text(mape) + ", at most " + percent_text(limit) + " allowed",
          .failing_runs = {}};
}

RunCheck check_ape(const Validation& validation, double limit) {
  RunCheck check{.name = "--max-ape", .holds = true, .result = "", .failing_runs = {}};
  for (const RunResult& result : validation.results) {
    if (!result.is_predicted() || result.ape <= limit) continue;
    check.failing_runs.emplace_back(
        result.run, "error " + percent_text(result.ape) + ", at most " + percent_text(limit) + " allowed");
  }
  check.holds = check.failing_runs.empty();
  check.result = std::to_string(check.failing_runs.size()) + " of " + std::to_string(validation.overall.n) +
                 " runs with an error above " + percent_text(limit);
  return check;
}

RunCheck check_baseline(const Validation& validation, const std::string& file) {
  const Baseline baseline = read_baseline(file);
  RunCheck check{.name = "--baseline", .holds = true, .result = "", .failing_runs = {}};
  std::map<std::string, std::size_t> used;  // runs of the same identity are taken in their order
  std::size_t compared = 0;
  for (const RunResult& result : validation.results) {
    const std::string key = identity(validation, result);
    const auto found = baseline.ape.find(key);
    const std::size_t place = used[key]++;
    if (found == baseline.ape.end() || place >= found->second.size()) continue;
    ++compared;
    const std::optional<double> old_ape = found->second[place];
    if (!old_ape) continue;
    if (!result.is_predicted()) {
      check.failing_runs.emplace_back(result.run, "was predicted before: " + result.not_predicted);
    } else if (result.ape > *old_ape + kApeTolerance) {
      check.failing_runs.emplace_back(
          result.run, "error " + percent_text(result.ape) + ", was " + percent_text(*old_ape));
    }
  }
  const bool mape_holds = validation.overall.mape <= baseline.mape + kMapeTolerance;
  check.holds = mape_holds && check.failing_runs.empty();
  check.result = "MAPE " + percent_text(validation.overall.mape) + ", was " + percent_text(baseline.mape) +
                 "; " + std::to_string(check.failing_runs.size()) + " of " + std::to_string(compared) +
                 " runs in both worse than before (tolerance: " + percent_text(kMapeTolerance) +
                 " of MAPE, " + percent_text(kApeTolerance) + " of a run)";
  const std::size_t fresh = validation.results.size() - compared;
  if (fresh > 0) check.result += "; " + std::to_string(fresh) + " new";
  return check;
}

}  // namespace

std::vector<RunCheck> check_runs(const Validation& validation, const Limits& limits) {
  std::vector<RunCheck> checks;
  if (limits.max_mape) checks.push_back(check_mape(validation, *limits.max_mape));
  if (limits.max_ape) checks.push_back(check_ape(validation, *limits.max_ape));
  if (!limits.baseline_file.empty()) checks.push_back(check_baseline(validation, limits.baseline_file));
  return checks;
}

}  // namespace layersim
