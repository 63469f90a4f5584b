#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <numeric>

#include "sim/report/readable_text.h"
#include "sim/report/text_table.h"
#include "sim/report/validation_report.h"

namespace layersim {
namespace {

// Longer tables show the runs with the largest errors alone.
constexpr std::size_t kMaxRuns = 60;
constexpr std::size_t kWorstRuns = 20;
// Layers that explain most of a difference: so many, and this share of it, at the most.
constexpr std::size_t kMaxBlamed = 8;
constexpr double kBlamedShare = 0.8;

std::string signed_percent(double share) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%+.1f %%", 100 * share);
  return text.data();
}

std::string error_percent(double share) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f %%", 100 * share);
  return text.data();
}

// Indices of the results to show, in the order of the table.
std::vector<std::size_t> shown_runs(const Validation& validation, bool all_runs) {
  std::vector<std::size_t> shown(validation.results.size());
  std::iota(shown.begin(), shown.end(), 0);
  if (all_runs || shown.size() <= kMaxRuns) return shown;
  std::stable_sort(shown.begin(), shown.end(), [&](std::size_t a, std::size_t b) {
    return validation.results[a].ape > validation.results[b].ape;
  });
  shown.resize(kWorstRuns);
  std::sort(shown.begin(), shown.end());
  return shown;
}

TextTable run_table(const Validation& validation, const std::vector<std::size_t>& shown) {
  TextTable table({{.header = "network", .shrinks = true},
                   {.header = "gpu"},
                   {.header = "stack", .importance = 3},
                   {.header = "mode", .importance = 4},
                   {.header = "precision", .importance = 2},
                   {.header = "optimizer", .importance = 1},
                   {.header = "batch", .right = true},
                   {.header = "measured ms", .right = true},
                   {.header = "predicted ms", .right = true},
                   {.header = "90 % between", .right = true, .importance = 5},
                   {.header = "error", .right = true}});
  table.add_rule();
  for (const std::size_t index : shown) {
    const RunResult& result = validation.results[index];
    const Run& run = validation.run_of(result);
    std::vector<std::string> cells{printable(run.network_name),
                                   run.device->key,
                                   printable(run.stack),
                                   std::string(name(run.mode)),
                                   std::string(name(result.precision)),
                                   std::string(name(run.optimizer)),
                                   with_thousands(static_cast<double>(run.batch)),
                                   short_number(run.measured_ms)};
    if (result.is_predicted()) {
      cells.push_back(short_number(result.predicted_ms));
      cells.push_back(result.interval_ms ? short_number(result.interval_ms->low) + " - " +
                                               short_number(result.interval_ms->high)
                                         : "");
      cells.push_back(signed_percent(result.predicted_ms / run.measured_ms - 1));
    } else {
      cells.insert(cells.end(), {"none", "", ""});
    }
    table.add_row(std::move(cells));
  }
  table.add_rule();
  return table;
}

void add_errors(TextTable& table, const std::string& by, const std::string& value,
                const ErrorSummary& errors) {
  table.add_row({by, value, with_thousands(static_cast<double>(errors.n)), error_percent(errors.mape),
                 error_percent(errors.median_ape), error_percent(errors.p90_ape),
                 errors.coverage90 ? error_percent(*errors.coverage90) : ""});
}

TextTable summary_table(const Validation& validation) {
  TextTable table({{.header = "by"},
                   {.header = "", .shrinks = true},
                   {.header = "runs", .right = true},
                   {.header = "MAPE", .right = true},
                   {.header = "median", .right = true},
                   {.header = "90th percentile", .right = true, .importance = 1},
                   {.header = "inside 90 % interval", .right = true, .importance = 2}});
  table.add_rule();
  std::string by;
  for (const ErrorGroup& group : validation.groups) {
    const std::string value = group.value.empty() ? "(not told)" : printable(group.value);
    add_errors(table, group.by == by ? "" : group.by, value, group.errors);
    by = group.by;
  }
  table.add_rule();
  add_errors(table, "all", "", validation.overall);
  return table;
}

std::string not_predicted_text(const Validation& validation) {
  std::map<std::string, std::size_t> reasons;
  for (const RunResult& result : validation.results) {
    if (!result.is_predicted()) ++reasons[result.not_predicted];
  }
  std::string text;
  for (const auto& [reason, count] : reasons) {
    text += with_thousands(static_cast<double>(count)) + " of " +
            with_thousands(static_cast<double>(validation.results.size())) + " runs are left out: " + reason +
            '\n';
  }
  return text;
}

// "3 of 4 runs have layers of ..."; empty where none has.
std::string runs_with(const Validation& validation, std::size_t RunResult::*layers, const char* what) {
  const auto runs = std::count_if(validation.results.begin(), validation.results.end(),
                                  [&](const RunResult& result) { return result.*layers > 0; });
  if (runs == 0) return "";
  return with_thousands(static_cast<double>(runs)) + " of " +
         with_thousands(static_cast<double>(validation.results.size())) + " runs have layers of " + what +
         '\n';
}

std::string estimated_text(const Validation& validation) {
  return runs_with(validation, &RunResult::estimated_layers,
                   "kinds that the predictor has not learned, whose times are estimates") +
         runs_with(validation, &RunResult::unmodelled_layers,
                   "operators without a model, estimated from bytes where these are known");
}

std::string blame_text(const Validation& validation, const RunResult& result, std::size_t width) {
  const Run& run = validation.run_of(result);
  const Blame& blame = *result.blame;
  TextTable table({{.header = "layer", .shrinks = true},
                   {.header = "kind", .importance = 1},
                   {.header = "measured ms", .right = true},
                   {.header = "predicted ms", .right = true},
                   {.header = "difference ms", .right = true},
                   {.header = "of all differences", .right = true, .importance = 2}});
  table.add_rule();
  double explained = 0;
  for (std::size_t i = 0; i < blame.layers.size() && i < kMaxBlamed && explained < kBlamedShare; ++i) {
    const BlamedLayer& layer = blame.layers[i];
    if (layer.share <= 0) break;
    explained += layer.share;
    table.add_row({printable(layer.name), layer.kind, short_number(layer.measured_ms),
                   short_number(layer.predicted_ms), short_number(layer.difference_ms()),
                   percent(layer.share)});
  }
  std::string text = printable(run.network_name) + " on " + run.device->key + " at batch " +
                     std::to_string(run.batch) + " (line " + std::to_string(run.line) +
                     "): layers that explain the difference\n" + table.to_text(width);
  if (!blame.unmatched.empty()) {
    std::string names;
    for (std::size_t i = 0; i < blame.unmatched.size() && i < kMaxBlamed; ++i) {
      names += (i == 0 ? "" : ", ") + printable(blame.unmatched[i]);
    }
    if (blame.unmatched.size() > kMaxBlamed) names += " ...";
    text += std::to_string(blame.unmatched.size()) + " measured layers (" + short_number(blame.unmatched_ms) +
            " ms) are none of the network's: " + names + '\n';
  }
  return text + '\n';
}

}  // namespace

std::string validation_table(const Validation& validation, const std::vector<RunCheck>& checks,
                             const ValidationTableOptions& options) {
  const auto width = static_cast<std::size_t>(std::max(options.width, 40));
  const std::vector<std::size_t> shown = shown_runs(validation, options.all_runs);
  std::string text = run_table(validation, shown).to_text(width);
  if (shown.size() < validation.results.size()) {
    text += "(the " + std::to_string(shown.size()) + " largest errors of " +
            with_thousands(static_cast<double>(validation.results.size())) +
            " runs; --all-runs shows every run)\n";
  }
  text += not_predicted_text(validation) + estimated_text(validation) + '\n';
  for (const RunResult& result : validation.results) {
    if (result.blame) text += blame_text(validation, result, width);
  }
  text += summary_table(validation).to_text(width);
  if (!checks.empty()) text += '\n';
  for (const RunCheck& check : checks) {
    text += (check.holds ? "holds   " : "FAILS   ") + check.name + ": " + check.result + '\n';
  }
  return text;
}

}  // namespace layersim
