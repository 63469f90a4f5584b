#include "trainers/methods/hybrid_training.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "sim/core/error.h"
#include "sim/methods/telemetry/signal.h"
#include "trainers/methods/nonnegative_fit.h"

namespace layersim {
namespace {

using Steps = std::vector<HybridStep>;

constexpr double kInterval = 0.9;
// What is left of a step whose convolutions alone take longer than it: they overlap, or were measured slower.
constexpr double kLeastRest = 0.02;

double rest_ms(const HybridStep& step) {
  return std::max(step.measured_ms - step.conv_ms, kLeastRest * step.measured_ms);
}

double sheet_ms(const StepRest& rest) {
  return std::accumulate(rest.part_ms.begin(), rest.part_ms.end(), 0.0);
}

// Errors count as shares of the step. A part that no step has gets the factor that fits all parts together.
std::vector<double> fit_factors(const Steps& steps) {
  std::vector<double> shares;
  for (const HybridStep& step : steps) shares.push_back(rest_ms(step) / sheet_ms(step.rest));
  const double common = quantile_of(shares, 0.5);
  NonnegativeFit fit;
  fit.columns = rest_part_names().size();
  fit.prior.assign(fit.columns, 1);
  fit.prior_weight = 0.001;
  for (const HybridStep& step : steps) {
    for (const double part_ms : step.rest.part_ms) fit.inputs.push_back(common * part_ms);
    fit.values.push_back(rest_ms(step));
    fit.scales.push_back(step.measured_ms);
  }
  std::vector<double> factors = fit.solve();
  for (double& factor : factors) factor *= common;
  return factors;
}

HybridModel fit_whole(const Steps& steps, const TreeTrainer& trees, std::uint64_t seed) {
  HybridModel model;
  model.factors = fit_factors(steps);
  Matrix features;
  std::vector<float> values;
  for (const HybridStep& step : steps) {
    features.add_row(step.rest.features);
    values.push_back(static_cast<float>(std::log(rest_ms(step) / model.base_ms(step.rest))));
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
  model.trees = trees.train(features, values, options);
  return model;
}

std::string group_of(const HybridStep& step, HybridLeftOut what) {
  if (what == HybridLeftOut::gpu) return step.gpu;
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
                          model.interval_ms(predicted_ms, step.network, step.gpu),
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

// A step that the model did not see.
struct Unseen {
  double measured_ms = 0;
  double conv_ms = 0;
  double base_ms = 0;
  double correction = 0;  // of the trees: log(rest / base)

  [[nodiscard]] double predict_ms(double share) const {
    return conv_ms + base_ms * std::exp(share * correction);
  }
};

// Each group by a model of the others.
std::vector<Unseen> leave_out(const Steps& steps, HybridLeftOut what, const TreeTrainer& trees,
                              std::uint64_t seed) {
  std::vector<Unseen> unseen;
  for (const std::string& group : groups_of(steps, what)) {
    const HybridModel model = fit_whole(select(steps, what, group, false), trees, seed);
    for (const HybridStep& step : select(steps, what, group, true))
      unseen.push_back({step.measured_ms, step.conv_ms, model.base_ms(step.rest),
                        model.trees.predict(step.rest.features)});
  }
  return unseen;
}

double mape_of(const std::vector<Unseen>& unseen, double share) {
  double sum = 0;
  for (const Unseen& step : unseen) sum += std::fabs(step.predict_ms(share) / step.measured_ms - 1);
  return sum / static_cast<double>(unseen.size());
}

double half_width_of(const std::vector<Unseen>& unseen, double share) {
  std::vector<double> distances;
  distances.reserve(unseen.size());
  for (const Unseen& step : unseen)
    distances.push_back(std::fabs(std::log(step.predict_ms(share) / step.measured_ms)));
  return quantile_of(distances, kInterval);
}

void set_names(HybridModel& model, const Steps& steps) {
  const auto networks = groups_of(steps, HybridLeftOut::network);
  const auto gpus = groups_of(steps, HybridLeftOut::gpu);
  model.networks.assign(networks.begin(), networks.end());
  model.gpus.assign(gpus.begin(), gpus.end());
}

// Trees of few networks say much about these and little about others: leaving out tells how much of their
// correction is to be believed.
HybridModel fit_model(const Steps& steps, HybridLeftOut what, const TreeTrainer& trees, std::uint64_t seed) {
  HybridModel model = fit_whole(steps, trees, seed);
  set_names(model, steps);
  if (groups_of(steps, what).size() < 2) return model;
  const std::vector<Unseen> unseen = leave_out(steps, what, trees, seed);
  double share = 1;
  for (const double less : {0.75, 0.5, 0.25, 0.0}) {
    if (mape_of(unseen, less) < mape_of(unseen, share)) share = less;
  }
  scale(model.trees, share);
  model.left_out_mape = mape_of(unseen, share);
  model.half_width = half_width_of(unseen, share);
  if (model.gpus.size() > 1)
    model.new_gpu_half_width = half_width_of(leave_out(steps, HybridLeftOut::gpu, trees, seed), share);
  return model;
}

HybridLeftOut groups_to_leave_out(const Steps& steps) {
  return groups_of(steps, HybridLeftOut::network).size() > 1 ? HybridLeftOut::network : HybridLeftOut::batch;
}

}  // namespace

void check_trainable(const Steps& steps) {
  if (groups_of(steps, groups_to_leave_out(steps)).size() < 2)
    throw bad_input("hybrid needs runs of two networks, or of one at two batch sizes");
}

void check_left_out(const Steps& steps, HybridLeftOut what) {
  if (groups_of(steps, what).size() < 2)
    throw bad_use("leaving out needs two networks or batch sizes in the runs");
}

HybridModel train_hybrid(const Steps& steps, const TreeTrainer& trees, std::uint64_t seed) {
  check_trainable(steps);
  HybridModel model = fit_model(steps, groups_to_leave_out(steps), trees, seed);
  double stored_ms = 0;
  double conv_ms = 0;
  for (const HybridStep& step : steps) {
    stored_ms += step.stored_ms;
    conv_ms += step.conv_ms;
  }
  model.stored_share = conv_ms > 0 ? stored_ms / conv_ms : 0;
  return model;
}

ErrorTable evaluate_hybrid_left_out(const Steps& steps, HybridLeftOut what, const TreeTrainer& trees,
                                    std::uint64_t seed) {
  ErrorTable errors = empty_table();
  check_left_out(steps, what);
  for (const std::string& group : groups_of(steps, what)) {
    add_rows(errors, select(steps, what, group, true),
             fit_model(select(steps, what, group, false), what, trees, seed));
  }
  return errors;
}

ErrorTable evaluate_hybrid(const Steps& steps, const HybridModel& model) {
  ErrorTable errors = empty_table();
  add_rows(errors, steps, model);
  return errors;
}

}  // namespace layersim
