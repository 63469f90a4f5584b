#include "sim/predictors/layer_networks.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "sim/features/roofline_time.h"
#include "sim/predictors/stand_in.h"

namespace layersim {
namespace {

// A kernel whose launch the host has prepared ahead still takes this long from one to the next.
constexpr double kKernelGapMs = 0.004;
// Half-width, in log(time), of the interval of an estimate that no measured rows stand behind: a factor of 2.
const double kEstimateHalfWidth = std::log(2.0);

// A layer asked for, or a stand-in for it.
struct Part {
  std::size_t layer = 0;  // index into the queries
  Problem problem;
  LayerWork work;
  bool is_stand_in = false;
};

// What of a part the device sheet allows.
double data_sheet_ms(const FeatureQuery& part, const Conditions& conditions) {
  const RooflineTime bound = roofline_time(part.layer, conditions);
  return part.pass == Pass::forward ? bound.forward_ms : bound.backward_data_ms + bound.backward_weight_ms;
}

void estimate_by_data_sheet(const LayerQuery& query, const Conditions& conditions,
                            LayerPrediction& prediction) {
  const RooflineTime bound = roofline_time(query, conditions);
  const double backward_ms = bound.backward_data_ms + bound.backward_weight_ms;
  if (bound.forward_ms + backward_ms <= 0) return;  // shapes are not known, or nothing runs
  prediction.forward_ms = bound.forward_ms;
  prediction.backward_ms = backward_ms;
  prediction.optimizer_ms = bound.optimizer_ms;
  prediction.basis = Basis::estimated;
}

bool knows_training(const TrainedNetwork& network, const std::string& stack) {
  return std::any_of(network.known.begin(), network.known.end(), [&](const KnownRows& known) {
    return known.stack == stack && known.pass == "training";
  });
}

std::vector<TimeEstimate> run(const TrainedNetwork& network, Pass pass, const std::vector<Part>& parts,
                              std::span<const LayerQuery> queries, Conditions conditions) {
  std::vector<FeatureQuery> feature_queries;
  feature_queries.reserve(parts.size());
  for (const Part& part : parts) {
    LayerQuery layer = queries[part.layer];
    layer.problem = &part.problem;
    layer.work = &part.work;
    feature_queries.push_back({.layer = layer, .pass = pass});
  }
  if (pass == Pass::forward) conditions.optimizer = Optimizer::none;
  std::vector<TimeEstimate> estimates(parts.size());
  evaluate(network, feature_queries, conditions, estimates);
  return estimates;
}

void collect_parts(const LayerNetworks& networks, const LayerQuery& query, std::size_t index,
                   std::map<const FeatureFamily*, std::vector<Part>>& parts) {
  const FeatureFamily* family = find_feature_family(*query.problem);
  if (networks.has_network(family)) {
    parts[family].push_back({index, *query.problem, *query.work, false});
    return;
  }
  if (query.work->forward.bytes() <= 0) return;  // shapes are not known
  std::vector<Problem> problems = stand_ins(*query.problem, *query.work);
  const bool answered = std::all_of(problems.begin(), problems.end(), [&](const Problem& problem) {
    return networks.has_network(find_feature_family(problem));
  });
  if (!answered) return;  // left to finish()
  for (Problem& problem : problems) {
    const LayerWork work = problem.kind->work(problem);
    std::vector<Part>& of_family = parts[find_feature_family(problem)];
    of_family.push_back({index, std::move(problem), work, true});
  }
}

// Whether the rows behind it were training steps, too.
bool predict_family(const NetworkChoice& choice, const FeatureFamily& family, const std::vector<Part>& parts,
                    std::span<const LayerQuery> queries, const Conditions& conditions,
                    std::span<LayerPrediction> predictions) {
  if (choice.network == nullptr) return false;
  Conditions stack_conditions = conditions;
  stack_conditions.stack = choice.stack;
  const bool training = conditions.mode == Mode::training && knows_training(*choice.network, choice.stack);
  const auto forward = run(*choice.network, Pass::forward, parts, queries, stack_conditions);
  const auto step =
      training ? run(*choice.network, Pass::training, parts, queries, stack_conditions) : forward;
  // A recurrent layer's launches are between its own steps, and on a CPU the host is the device: they stay.
  const bool keep_launch = family.name == "recurrent" || conditions.device->device_type == "cpu";
  for (std::size_t i = 0; i < parts.size(); ++i) {
    LayerPrediction& prediction = predictions[parts[i].layer];
    const auto time_ms = [&](const TimeEstimate& estimate) {
      const double gap_ms = kKernelGapMs * std::max(parts[i].work.forward.kernels, 1);
      return keep_launch ? std::exp(static_cast<double>(estimate.log_ms))
                         : std::exp(static_cast<double>(estimate.log_work_ms)) + gap_ms;
    };
    // Dropout, say, does nothing forward but in a training step.
    const double forward_ms = parts[i].work.forward.bytes() > 0 ? time_ms(forward[i]) : 0;
    prediction.forward_ms += forward_ms;
    if (training) prediction.backward_ms += std::max(time_ms(step[i]) - forward_ms, 0.0);
    const bool estimated = parts[i].is_stand_in || prediction.basis == Basis::estimated;
    prediction.basis = estimated ? Basis::estimated : Basis::trained;
    prediction.inside_trained_range =
        !estimated && choice.device_known && step[i].inside_trained_range && forward[i].inside_trained_range;
    const double half_width = estimated ? kEstimateHalfWidth : static_cast<double>(step[i].log_half_width);
    prediction.interval_ms = Interval{-half_width, half_width};  // in log(time) until finish()
  }
  return training;
}

// What the networks left open: the update, a backward pass that was not measured, the interval; all of a
// layer that no network answers for.
void finish(const LayerQuery& query, const Conditions& conditions, bool has_measured_step,
            LayerPrediction& prediction) {
  if (prediction.basis == Basis::none) {
    estimate_by_data_sheet(query, conditions, prediction);
  } else if (conditions.mode == Mode::training) {
    const RooflineTime bound = roofline_time(query, conditions);
    prediction.optimizer_ms = bound.optimizer_ms;
    const double bound_backward_ms = bound.backward_data_ms + bound.backward_weight_ms;
    if (has_measured_step) {
      // The measured step contains the update. Winograd convolutions beat the bound, three times at the
      // most, and caches that of the memory: those of a CPU hold whole layers.
      const bool is_cpu = conditions.device->device_type == "cpu";
      if (is_cpu) prediction.optimizer_ms = std::min(bound.optimizer_ms, prediction.backward_ms / 2);
      prediction.backward_ms =
          std::max(prediction.backward_ms - prediction.optimizer_ms, is_cpu ? 0 : bound_backward_ms / 3);
    } else if (bound.forward_ms > 0) {
      prediction.backward_ms = prediction.forward_ms * bound_backward_ms / bound.forward_ms;
    }
  }
  if (prediction.basis == Basis::none) return;
  const double total_ms = prediction.total_ms();
  const double half_width = prediction.interval_ms ? prediction.interval_ms->high : kEstimateHalfWidth;
  prediction.interval_ms = Interval{total_ms * std::exp(-half_width), total_ms * std::exp(half_width)};
}

}  // namespace

bool LayerNetworks::has_network(const FeatureFamily* family) const {
  return family != nullptr && predictor_.has_family(family->name);
}

void LayerNetworks::predict(std::span<const LayerQuery> queries, const Conditions& conditions,
                            std::span<LayerPrediction> predictions) const {
  std::map<const FeatureFamily*, std::vector<Part>> parts;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    predictions[i] = {};
    collect_parts(*this, queries[i], i, parts);
  }
  std::vector<bool> has_measured_step(queries.size(), false);
  for (const auto& [family, family_parts] : parts) {
    const NetworkChoice choice = chooser_.choose(family->name, *conditions.device, conditions.stack);
    const bool measured = predict_family(choice, *family, family_parts, queries, conditions, predictions);
    for (const Part& part : family_parts) has_measured_step[part.layer] = measured;
  }
  for (std::size_t i = 0; i < queries.size(); ++i) {
    finish(queries[i], conditions, has_measured_step[i], predictions[i]);
  }
}

std::vector<double> LayerNetworks::times_ms(const FeatureFamily& family, std::span<const FeatureQuery> passes,
                                            const Conditions& conditions) const {
  const NetworkChoice choice = chooser_.choose(family.name, *conditions.device, conditions.stack);
  std::vector<double> times_ms;
  if (choice.network == nullptr) {
    for (const FeatureQuery& pass : passes) times_ms.push_back(data_sheet_ms(pass, conditions));
    return times_ms;
  }
  Conditions stack_conditions = conditions;
  stack_conditions.stack = choice.stack;
  std::vector<TimeEstimate> estimates(passes.size());
  evaluate(*choice.network, passes, stack_conditions, estimates);
  for (const TimeEstimate& estimate : estimates)
    times_ms.push_back(std::exp(static_cast<double>(estimate.log_ms)));
  return times_ms;
}

}  // namespace layersim
