#include "trainers/methods/regression_training.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "sim/core/error.h"
#include "sim/methods/telemetry/signal.h"
#include "trainers/methods/formula_fit.h"

namespace layersim {
namespace {

constexpr std::size_t kLeastRows = 10;
constexpr int kMostFolds = 8;
constexpr std::size_t kLeastFolds = 3;  // one is predicted, of the others each chooses for the rest
constexpr double kInterval = 0.9;

// What was run, on whatever device and with whatever software. In tables of runs all else follows from these.
bool tells_configuration(const RegressionTable& table, const std::string& feature) {
  constexpr const char* kOfRuns[] = {"batch", "n_gpus", "input_mb", "mode=forward", "mode=training"};
  if (table.is_of_runs())
    return std::find(std::begin(kOfRuns), std::end(kOfRuns), feature) != std::end(kOfRuns);
  return !is_device_rate(feature) && !feature.starts_with("gpu=") && !feature.starts_with("stack=");
}

std::string group_of(const RegressionTable& table, const RegressionRow& row, const LeftOut& left_out) {
  switch (left_out.what) {
    case LeftOut::What::network:
      return row.network;
    case LeftOut::What::family:
      return row.family;
    case LeftOut::What::gpu:
      return row.gpu;
    case LeftOut::What::value:
      return std::to_string(row.features[table.feature(left_out.feature)]);
    case LeftOut::What::configuration:
      break;
  }
  std::string key = row.network;
  for (std::size_t f = 0; f < row.features.size(); ++f) {
    if (tells_configuration(table, table.features[f])) key += '\t' + std::to_string(row.features[f]);
  }
  return key;
}

std::set<std::string> groups_of(const RegressionTable& table, const LeftOut& left_out) {
  std::set<std::string> groups;
  for (const RegressionRow& row : table.rows) groups.insert(group_of(table, row, left_out));
  return groups;
}

// What to leave out where only one or two of these are left: single configurations.
LeftOut inner_left_out(const RegressionTable& table, const LeftOut& left_out) {
  return groups_of(table, left_out).size() >= kLeastFolds ? left_out : LeftOut{};
}

struct CrossValidation {
  const FormulaKind* kind = nullptr;
  std::vector<double> predicted;
  double mape = 0;
  double standard_error = 0;  // of the mean over folds
};

CrossValidation cross_validate(const RegressionTable& table, const FormulaKind& kind,
                               const std::vector<int>& folds, bool for_other_gpus) {
  CrossValidation result{&kind, cross_predict(table, kind, folds, for_other_gpus)};
  std::map<int, std::pair<double, double>> sums;  // of each fold, and its rows
  for (std::size_t i = 0; i < folds.size(); ++i) {
    const double error = std::fabs(result.predicted[i] / table.rows[i].target_ms - 1);
    result.mape += error / static_cast<double>(folds.size());
    sums[folds[i]].first += error;
    sums[folds[i]].second += 1;
  }
  const auto count = static_cast<double>(sums.size());
  double square = 0;
  for (const auto& [fold, sum] : sums) square += std::pow(sum.first / sum.second - result.mape, 2);
  result.standard_error = std::sqrt(square / (count - 1) / count);
  return result;
}

// The simplest kind whose error is not above the least by more than one standard error.
CrossValidation choose_kind(const RegressionTable& table, const std::vector<int>& folds,
                            bool for_other_gpus) {
  std::vector<CrossValidation> results;
  for (const FormulaKind& kind : formula_kinds()) {
    if (!kind.candidates(table).empty())
      results.push_back(cross_validate(table, kind, folds, for_other_gpus));
  }
  const auto best = std::min_element(results.begin(), results.end(),
                                     [](const auto& a, const auto& b) { return a.mape < b.mape; });
  const double most = best->mape + best->standard_error;
  return *std::find_if(results.begin(), results.end(),
                       [&](const CrossValidation& result) { return result.mape <= most; });
}

double half_width_of(const RegressionTable& table, const std::vector<double>& predicted) {
  std::vector<double> distances;
  for (std::size_t i = 0; i < predicted.size(); ++i)
    distances.push_back(std::fabs(std::log(predicted[i] / table.rows[i].target_ms)));
  return quantile_of(distances, kInterval);
}

std::vector<std::string> names_of(const RegressionTable& table, std::string RegressionRow::*name) {
  std::set<std::string> names;
  for (const RegressionRow& row : table.rows) names.insert(row.*name);
  names.erase("");
  return {names.begin(), names.end()};
}

void set_range(RegressionModel& model, const RegressionTable& table) {
  model.low = model.high = table.rows.front().features;
  for (const RegressionRow& row : table.rows) {
    for (std::size_t f = 0; f < row.features.size(); ++f) {
      model.low[f] = std::min(model.low[f], row.features[f]);
      model.high[f] = std::max(model.high[f], row.features[f]);
    }
  }
}

// Of the interval of the kind's formula on what is left out; 0 where there is one of it alone.
double unseen_half_width(const RegressionTable& table, const FormulaKind& kind, LeftOut::What what,
                         std::uint64_t seed) {
  if (groups_of(table, {what, {}}).size() < 2) return 0;
  return half_width_of(table, cross_predict(table, kind, divide(table, {what, {}}, kMostFolds, seed), true));
}

// What predicts rows that the formula was not chosen for.
void fit_step(RegressionModel& model, const RegressionTable& table, std::uint64_t seed) {
  const FormulaKind& step = formula_kinds().front();
  if (step.candidates(table).empty()) return;
  model.step_terms = fit_formula(table, step, {}, true).terms;
  model.new_network_half_width = unseen_half_width(table, step, LeftOut::What::network, seed);
  model.new_gpu_half_width = unseen_half_width(table, step, LeftOut::What::gpu, seed);
}

}  // namespace

LeftOut parse_left_out(const RegressionTable& table, const std::string& text) {
  constexpr std::string_view kNames[] = {"configuration", "network", "family", "gpu"};
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    if (text == kNames[i]) return {static_cast<LeftOut::What>(i), {}};
  }
  static_cast<void>(table.feature(text));  // throws where there is none
  return {LeftOut::What::value, text};
}

std::string name(const LeftOut& left_out) {
  constexpr std::string_view kNames[] = {"configuration", "network", "family", "gpu"};
  return left_out.what == LeftOut::What::value ? left_out.feature
                                               : std::string(kNames[static_cast<std::size_t>(left_out.what)]);
}

std::vector<int> divide(const RegressionTable& table, const LeftOut& left_out, int most, std::uint64_t seed) {
  const std::set<std::string> groups = groups_of(table, left_out);
  if (groups.size() < 2)
    throw bad_use("to leave out each " + name(left_out) + " in turn the rows must have several of them");
  std::vector<std::string> order(groups.begin(), groups.end());
  std::map<std::string, int> part;
  std::mt19937_64 random(seed);
  std::shuffle(order.begin(), order.end(), random);
  for (std::size_t i = 0; i < order.size(); ++i) part[order[i]] = static_cast<int>(i) % most;
  std::vector<int> parts;
  for (const RegressionRow& row : table.rows) parts.push_back(part[group_of(table, row, left_out)]);
  return parts;
}

RegressionModel fit_regression(const RegressionTable& table, const LeftOut& left_out, std::uint64_t seed) {
  if (table.rows.size() < kLeastRows)
    throw bad_input("a regression needs " + std::to_string(kLeastRows) + " rows, not " +
                    std::to_string(table.rows.size()));
  const LeftOut inner = inner_left_out(table, left_out);
  const bool for_other_gpus = left_out.what == LeftOut::What::gpu;
  const std::vector<int> folds = divide(table, inner, kMostFolds, seed);
  const CrossValidation chosen = choose_kind(table, folds, for_other_gpus);
  RegressionModel model = fit_formula(table, *chosen.kind, folds, for_other_gpus);
  model.left_out_mape = chosen.mape;
  model.half_width = half_width_of(table, chosen.predicted);
  model.left_out = name(inner);
  model.networks = names_of(table, &RegressionRow::network);
  model.gpus = names_of(table, &RegressionRow::gpu);
  model.stacks = names_of(table, &RegressionRow::stack);
  model.precisions = names_of(table, &RegressionRow::precision);
  model.modes = names_of(table, &RegressionRow::mode);
  model.optimizers = names_of(table, &RegressionRow::optimizer);
  set_range(model, table);
  fit_step(model, table, seed);
  return model;
}

}  // namespace layersim
