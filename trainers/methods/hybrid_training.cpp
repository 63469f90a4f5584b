#include "trainers/methods/hybrid_training.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "sim/core/error.h"
#include "sim/methods/telemetry/signal.h"

namespace layersim {
namespace {

using Steps = std::vector<HybridStep>;

constexpr double kInterval = 0.9;
// What is left of a step whose convolutions alone take longer than it: they overlap, or were measured slower.
constexpr double kLeastRest = 0.02;

Forest fit_trees(const Steps& steps, const TreeTrainer& trees, std::uint64_t seed) {
  Matrix features;
  std::vector<float> values;
  for (const HybridStep& step : steps) {
    features.add_row(step.rest.features);
    const double rest_ms = std::max(step.measured_ms - step.conv_ms, kLeastRest * step.measured_ms);
    values.push_back(static_cast<float>(std::log(rest_ms / step.rest.base_ms)));
  }
  TreeOptions options;
  options.seed = seed;
  options.rounds = 300;
  options.trees_a_round = 1;
  options.learning_rate = 0.06;
  options.depth = 4;
  options.row_share = 0.8;
  options.feature_share = 0.5;
  options.leaf_penalty = 1;
  return trees.train(features, values, options);
}

std::string group_of(const HybridStep& step, HybridLeftOut what) {
  return what == HybridLeftOut::network ? step.network : std::to_string(step.batch);
}

std::set<std::string> groups_of(const Steps& steps, HybridLeftOut what) {
  std::set<std::string> groups;
  for (const HybridStep& step : steps) groups.insert(group_of(step, what));
  return groups;
}

void add_rows(ErrorTable& table, const Steps& steps, const HybridModel& model) {
  for (const HybridStep& step : steps) {
    const double predicted_ms = model.predict_ms(step.conv_ms, step.rest);
    table.rows.push_back({{step.gpu, step.network},
                          step.measured_ms,
                          predicted_ms,
                          model.interval_ms(predicted_ms),
                          {step.whole_ms}});
  }
}

ErrorTable empty_table() { return {{"gpu", "network"}, 1, {"layerwise"}, {}}; }

Steps select(const Steps& steps, HybridLeftOut what, const std::string& group, bool inside) {
  Steps selected;
  std::copy_if(steps.begin(), steps.end(), std::back_inserter(selected),
               [&](const HybridStep& step) { return (group_of(step, what) == group) == inside; });
  return selected;
}

double half_width_of(const ErrorTable& errors) {
  std::vector<double> distances;
  for (const ErrorRow& row : errors.rows)
    distances.push_back(std::fabs(std::log(row.predicted_ms / row.measured_ms)));
  return quantile_of(distances, kInterval);
}

// Predictions of each group by the others, without intervals.
ErrorTable cross_predict(const Steps& steps, HybridLeftOut what, const TreeTrainer& trees,
                         std::uint64_t seed) {
  ErrorTable errors = empty_table();
  for (const std::string& group : groups_of(steps, what)) {
    HybridModel model;
    model.trees = fit_trees(select(steps, what, group, false), trees, seed);
    add_rows(errors, select(steps, what, group, true), model);
  }
  return errors;
}

}  // namespace

HybridModel train_hybrid(const Steps& steps, const TreeTrainer& trees, std::uint64_t seed) {
  const HybridLeftOut what =
      groups_of(steps, HybridLeftOut::network).size() > 1 ? HybridLeftOut::network : HybridLeftOut::batch;
  if (groups_of(steps, what).size() < 2)
    throw bad_use("hybrid needs runs of two networks, or of one at two batch sizes");
  HybridModel model;
  const ErrorTable errors = cross_predict(steps, what, trees, seed);
  model.left_out_mape = group_rows(errors, 0, 0).front().errors.mape;
  model.half_width = half_width_of(errors);
  model.trees = fit_trees(steps, trees, seed);
  const auto networks = groups_of(steps, HybridLeftOut::network);
  model.networks.assign(networks.begin(), networks.end());
  std::set<std::string> gpus;
  double stored_ms = 0;
  double conv_ms = 0;
  for (const HybridStep& step : steps) {
    gpus.insert(step.gpu);
    stored_ms += step.stored_ms;
    conv_ms += step.conv_ms;
  }
  model.gpus.assign(gpus.begin(), gpus.end());
  model.stored_share = conv_ms > 0 ? stored_ms / conv_ms : 0;
  return model;
}

ErrorTable evaluate_hybrid_left_out(const Steps& steps, HybridLeftOut what, const TreeTrainer& trees,
                                    std::uint64_t seed) {
  ErrorTable errors = empty_table();
  const auto groups = groups_of(steps, what);
  if (groups.size() < 2) throw bad_use("leaving out needs two networks or batch sizes in the runs");
  for (const std::string& group : groups) {
    const Steps others = select(steps, what, group, false);
    HybridModel model;
    model.trees = fit_trees(others, trees, seed);
    // The interval follows from the others alone.
    if (groups_of(others, what).size() > 1)
      model.half_width = half_width_of(cross_predict(others, what, trees, seed));
    add_rows(errors, select(steps, what, group, true), model);
  }
  return errors;
}

ErrorTable evaluate_hybrid(const Steps& steps, const HybridModel& model) {
  ErrorTable errors = empty_table();
  add_rows(errors, steps, model);
  return errors;
}

}  // namespace layersim
