#include "sim/runs/validation.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "sim/core/error.h"
#include "sim/runs/run_networks.h"

namespace layersim {
namespace {

// The file with the measured layers of a run; empty: none.
std::string layer_file(const RunTable& table, const Run& run) {
  const std::string field = table.field(run, "layer_times");
  return field.empty() ? "" : (std::filesystem::path(table.file).parent_path() / field).string();
}

// Linear between the two neighbours; `sorted` must not be empty.
double quantile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

class Validator {
 public:
  Validator(const RunTable& table, const Predictor& predictor, bool with_blame)
      : table_(table), predictor_(predictor), with_blame_(with_blame) {}

  RunResult validate(std::size_t index) {
    const Run& run = table_.runs[index];
    RunResult result;
    result.run = index;
    result.precision = run.precision.value_or(Precision::fp32);
    try {
      predict(run, result);
    } catch (const Error& error) {
      // A plan that the network or the batch does not fit.
      if (error.kind() != ErrorKind::bad_use) throw;
      result.not_predicted = error.what();
    }
    return result;
  }

 private:
  void predict(const Run& run, RunResult& result) {
    Run share = run;  // of a device
    share.batch = batch_of_device(run.plan, run.batch);
    const PreparedRun prepared = networks_.prepare(share);
    result.precision = prepared.conditions.precision;
    Warnings ignored;  // `predict` tells them
    const NetworkTime time =
        parallel_step(*prepared.network, prepared.conditions, predictor_, run.plan, ignored).time;
    if (std::none_of(time.layers.begin(), time.layers.end(),
                     [](const LayerPrediction& layer) { return layer.basis != Basis::none; })) {
      result.not_predicted = "no layer of the network has a model";
      return;
    }
    for (std::size_t i = 0; i < time.layers.size(); ++i) {
      if (prepared.network->layers[i].problem.kind == nullptr) {
        ++result.unmodelled_layers;
      } else if (time.layers[i].basis == Basis::estimated) {
        ++result.estimated_layers;
      }
    }
    result.predicted_ms = time.step.batch_ms();
    result.interval_ms = time.step.interval_ms;
    result.ape = std::fabs(result.predicted_ms - run.measured_ms) / run.measured_ms;
    const std::string file = with_blame_ ? layer_file(table_, run) : "";
    if (!file.empty()) result.blame = blame_layers(file, *prepared.network, time.layers);
  }

  const RunTable& table_;
  const Predictor& predictor_;
  bool with_blame_;
  RunNetworks networks_;
};

void add_groups(Validation& validation, const std::string& by, std::string (*value_of)(const Run&)) {
  std::map<std::string, std::vector<std::size_t>> members;
  for (const RunResult& result : validation.results) {
    if (result.is_predicted()) members[value_of(validation.run_of(result))].push_back(result.run);
  }
  for (const auto& [value, results] : members) {
    validation.groups.push_back({by, value, summarize(validation, results)});
  }
}

// As `predict` refuses it; here it is the table that is wrong.
void check_stacks(const RunTable& table, const Predictor& predictor) {
  const bool has_framework =
      std::find(table.columns.begin(), table.columns.end(), "framework") != table.columns.end();
  for (const Run& run : table.runs) {
    try {
      check_stack(predictor, run.stack);
    } catch (const Error& error) {
      throw bad_input(table.place(run) + ": column '" + (has_framework ? "framework" : "stack") +
                      "': " + error.what());
    }
  }
}

}  // namespace

ErrorSummary summarize(const Validation& validation, const std::vector<std::size_t>& results) {
  ErrorSummary summary;
  std::vector<double> errors;
  std::size_t with_interval = 0;
  std::size_t inside = 0;
  for (const std::size_t index : results) {
    const RunResult& result = validation.results[index];
    if (!result.is_predicted()) continue;
    errors.push_back(result.ape);
    if (!result.interval_ms) continue;
    ++with_interval;
    const double measured_ms = validation.run_of(result).measured_ms;
    if (result.interval_ms->low <= measured_ms && measured_ms <= result.interval_ms->high) ++inside;
  }
  summary.n = errors.size();
  if (errors.empty()) return summary;
  std::sort(errors.begin(), errors.end());
  for (const double error : errors) summary.mape += error / static_cast<double>(errors.size());
  summary.median_ape = quantile(errors, 0.5);
  summary.p90_ape = quantile(errors, 0.9);
  if (with_interval > 0) {
    summary.coverage90 = static_cast<double>(inside) / static_cast<double>(with_interval);
  }
  return summary;
}

Validation validate_runs(RunTable table, const Predictor& predictor, bool with_blame) {
  check_stacks(table, predictor);
  Validation validation;
  validation.table = std::move(table);
  validation.method = predictor.name();
  Validator validator(validation.table, predictor, with_blame);
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < validation.table.runs.size(); ++i) {
    const Run& run = validation.table.runs[i];
    validation.results.push_back(
        with_context(validation.table.place(run), [&] { return validator.validate(i); }));
    all.push_back(i);
  }
  validation.overall = summarize(validation, all);
  add_groups(validation, "gpu", [](const Run& run) { return run.device->key; });
  add_groups(validation, "stack", [](const Run& run) { return run.stack; });
  add_groups(validation, "mode", [](const Run& run) { return std::string(name(run.mode)); });
  add_groups(validation, "network", [](const Run& run) { return run.network_name; });
  return validation;
}

}  // namespace layersim
