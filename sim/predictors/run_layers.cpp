#include "sim/predictors/run_layers.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "sim/features/roofline_time.h"
#include "sim/predictors/small_batch.h"
#include "sim/predictors/stream_limits.h"

namespace layersim {
namespace {

// Half-width, in log(time), of the interval of parts whose family has no measured layers: a factor of 2.
const double kEstimateHalfWidth = std::log(2.0);

struct PartTimes {
  std::vector<double> ms;
  std::vector<bool> inside;  // the trained range
  std::vector<double> half_width;
};

PartTimes estimated_times(std::vector<double> ms) {
  PartTimes times{std::move(ms), {}, {}};
  times.inside.assign(times.ms.size(), false);
  times.half_width.assign(times.ms.size(), kEstimateHalfWidth);
  return times;
}

PartTimes learned_times(const TrainedNetwork& network, std::span<const FeatureQuery> queries,
                        const Conditions& conditions) {
  PartTimes times;
  std::vector<TimeEstimate> estimates(queries.size());
  evaluate(network, queries, conditions, estimates);
  for (std::size_t i = 0; i < estimates.size(); ++i) {
    const TimeEstimate& estimate = estimates[i];
    double ms = std::exp(static_cast<double>(estimate.log_work_ms));
    if (network.family == "streaming") {
      const double sheet_ms = std::exp(static_cast<double>(estimate.log_sheet_ms));
      ms = limited_stream_ms(ms, sheet_ms, queries[i].pass == Pass::backward);
    }
    times.ms.push_back(ms);
    times.inside.push_back(estimate.inside_trained_range);
    times.half_width.push_back(network.intervals.empty() ? kEstimateHalfWidth
                                                         : static_cast<double>(estimate.log_half_width));
  }
  return times;
}

}  // namespace

void predict_run_layers(const RunModel& model, std::span<const LayerQuery> queries,
                        const Conditions& conditions, const OtherParts& other_parts,
                        std::span<LayerPrediction> predictions) {
  std::vector<StepPart> parts;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    predictions[i] = {};
    append_parts(queries[i], i, conditions, parts);
  }
  std::vector<double> half_width(queries.size(), 0);
  std::map<const FeatureFamily*, std::vector<std::size_t>> by_family;
  for (std::size_t i = 0; i < parts.size(); ++i) by_family[parts[i].family].push_back(i);

  // Which optimizer a step has is told by the step's update, not by its layers.
  Conditions part_conditions = conditions;
  part_conditions.optimizer = Optimizer::none;
  const RunModel& own = model.specialist(conditions.device->key, conditions.stack);
  const bool device_known = model.knows(conditions.device->key, conditions.stack);
  const OverheadLogs logs = overheads(model, conditions.device->key, conditions.stack);
  const double gap_ms = std::exp(logs[static_cast<std::size_t>(Overhead::gap)]);
  for (const auto& [family, members] : by_family) {
    const TrainedNetwork* network = model.network(family->name, conditions.device->key, conditions.stack);
    const bool is_new_to_stack = !model.stack_has(conditions.stack, family->name);
    const bool known = device_known && network == own.network(family->name);
    std::vector<FeatureQuery> part_queries;
    part_queries.reserve(members.size());
    for (const std::size_t i : members) part_queries.push_back(parts[i].query(queries[parts[i].layer]));
    PartTimes times = network == nullptr ? estimated_times(other_parts(*family, part_queries, conditions))
                                         : learned_times(*network, part_queries, part_conditions);
    if (network != nullptr && family->name == "conv")
      limit_by_larger_batches(*network, parts, members, queries, part_conditions, times.ms);
    for (std::size_t k = 0; k < times.ms.size(); ++k) {
      const StepPart& part = parts[members[k]];
      LayerPrediction& prediction = predictions[part.layer];
      const bool first = prediction.basis == Basis::none;
      (part.backward ? prediction.backward_ms : prediction.forward_ms) += times.ms[k] + part.kernels * gap_ms;
      prediction.inside_trained_range =
          (first || prediction.inside_trained_range) && known && times.inside[k];
      if (!part.backward && model.is_new(weight_shape(part.problem), conditions.device->key))
        prediction.has_new_weights = true;
      if (is_new_to_stack) prediction.is_new_to_stack = true;
      half_width[part.layer] = std::max(half_width[part.layer], times.half_width[k]);
      prediction.basis = queries[part.layer].problem->kind == nullptr ? Basis::estimated : Basis::trained;
    }
  }
  const double update_factor = std::exp(logs[static_cast<std::size_t>(Overhead::update)]);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const PassWork update = optimizer_work(queries[i], conditions);
    predictions[i].optimizer_ms =
        update.bytes() / (conditions.device->memory_bandwidth_gb_s * 1e6) * update_factor;
    if (predictions[i].basis == Basis::none) {
      if (!is_view(*queries[i].problem, conditions.stack)) continue;
      predictions[i].basis = Basis::trained;  // no kernel: 0 ms is what is known of it
      predictions[i].inside_trained_range = true;
    }
    const double total_ms = predictions[i].total_ms();
    predictions[i].interval_ms =
        Interval{total_ms * std::exp(-half_width[i]), total_ms * std::exp(half_width[i])};
  }
}

}  // namespace layersim
