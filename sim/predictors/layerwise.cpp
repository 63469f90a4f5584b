// The layer-wise method: a feed-forward network per layer family, trained on measured layers of real devices,
// predicts each layer's time; the times are summed. The trained file comes along in configs/predictors.

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "sim/features/roofline_time.h"
#include "sim/predictors/network_choice.h"
#include "sim/predictors/precision_limit.h"
#include "sim/predictors/predictor.h"
#include "sim/predictors/predictor_file.h"
#include "sim/predictors/run_layers.h"
#include "sim/predictors/run_stack.h"
#include "sim/predictors/run_warnings.h"
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

std::string describe(const PredictorFile& predictor) {
  const bool linear = predictor.provenance.trainer == "linear";
  const std::string layers = linear ? "linear regressions on FLOP" : "feed-forward networks";
  std::string text = layers + " trained on measured layers";
  if (predictor.runs) text += linear ? ", feed-forward networks on whole networks" : " and whole networks";
  return text + "; what was not measured is estimated";
}

class LayerwisePredictor : public Predictor {
 public:
  explicit LayerwisePredictor(const std::filesystem::path& file)
      : predictor_(read_predictor_file(file)), statement_(describe(predictor_)), chooser_(predictor_) {}

  [[nodiscard]] std::string_view name() const override { return "layerwise"; }
  [[nodiscard]] std::string_view statement() const override { return statement_; }
  [[nodiscard]] bool is_trained() const override { return true; }

  void predict(std::span<const LayerQuery> queries, const Conditions& conditions,
               std::span<LayerPrediction> predictions) const override {
    predict_as_learned(queries, conditions, predictions);
    if (!is_below_fp32(conditions.precision)) return;
    const bool was_measured = was_measured_in(conditions);
    const Fp32Queries fp32(queries);
    Conditions fp32_conditions = conditions;
    fp32_conditions.precision = Precision::fp32;
    std::vector<LayerPrediction> limits(queries.size());
    predict_as_learned(fp32.queries(), fp32_conditions, limits);
    for (std::size_t i = 0; i < queries.size(); ++i) {
      // Runs tell nothing of recurrent layers.
      const FeatureFamily* family = find_feature_family(*queries[i].problem);
      const bool is_recurrent = family != nullptr && family->name == "recurrent";
      if (!was_measured || is_recurrent) limit_to_fp32(limits[i], predictions[i]);
    }
  }

  [[nodiscard]] std::string default_stack(const Device& device) const override {
    const RunModel* runs = run_model(device);
    return runs != nullptr ? layersim::default_stack(*runs, device, devices_) : std::string();
  }

  [[nodiscard]] std::vector<std::string> known_stacks() const override {
    std::set<std::string> stacks;
    for (const TrainedNetwork& network : predictor_.networks) {
      stacks.insert(network.stacks.begin(), network.stacks.end());
    }
    if (predictor_.runs) {
      for (const KnownRuns& known : predictor_.runs->known) stacks.insert(known.stack);
    }
    return {stacks.begin(), stacks.end()};
  }

  [[nodiscard]] StepOverhead step_overhead(double layers_ms, const HostWork& host,
                                           const Conditions& conditions) const override {
    const RunModel* runs = run_model(*conditions.device);
    if (runs == nullptr) return {};
    Conditions run_conditions = conditions;
    const std::string stack = stack_of(conditions);
    run_conditions.stack = stack;
    const double ms = batch_ms(*runs, run_conditions, layers_ms, host);
    const double half_width = run_half_width(*runs, stack, is_measured(*runs, run_conditions));
    return {.ms = ms - layers_ms,
            .batch_interval_ms = Interval{ms * std::exp(-half_width), ms * std::exp(half_width)}};
  }

  [[nodiscard]] std::vector<std::string> warnings(const Conditions& conditions) const override {
    if (const RunModel* runs = run_model(*conditions.device)) {
      const std::string stack = stack_of(conditions);
      Conditions run_conditions = conditions;
      run_conditions.stack = stack;
      return run_warnings(*runs, run_conditions);
    }
    std::vector<std::string> warnings{
        "the interval tells how well single layers are predicted; host time between layers, the input copy "
        "and other "
        "software than was measured are not in it"};
    for (const TrainedNetwork& network : predictor_.networks) {
      const auto& gpus = network.gpus;
      if (std::find(gpus.begin(), gpus.end(), conditions.device->key) != gpus.end()) return warnings;
      for (const auto& calibration : network.calibrations) {
        if (calibration.gpu == conditions.device->key) return warnings;
      }
    }
    warnings.push_back("no measured rows of " + conditions.device->key +
                       " are in the training: its times follow from its data sheet");
    return warnings;
  }

 private:
  // nullptr for a device whose measured layers the networks for single layers were adapted to: the run model
  // does not know of them.
  [[nodiscard]] const RunModel* run_model(const Device& device) const {
    for (const TrainedNetwork& network : predictor_.networks) {
      for (const auto& calibration : network.calibrations) {
        if (calibration.gpu == device.key) return nullptr;
      }
    }
    return predictor_.runs ? &*predictor_.runs : nullptr;
  }

  void predict_as_learned(std::span<const LayerQuery> queries, const Conditions& conditions,
                          std::span<LayerPrediction> predictions) const {
    if (const RunModel* runs = run_model(*conditions.device)) {
      Conditions run_conditions = conditions;
      const std::string stack = stack_of(conditions);
      run_conditions.stack = stack;
      std::set<const FeatureFamily*> unknown;
      predict_run_layers(
          *runs, queries, run_conditions,
          [&](const FeatureFamily& family, std::span<const FeatureQuery> parts, const Conditions& of_parts) {
            if (!has_network(&family)) unknown.insert(&family);
            return layer_times(family, parts, of_parts);
          },
          predictions);
      for (std::size_t i = 0; i < queries.size(); ++i) {
        Basis& basis = predictions[i].basis;
        const bool learned = !unknown.contains(find_feature_family(*queries[i].problem));
        if (!learned && basis == Basis::trained) basis = Basis::estimated;
      }
      return;
    }
    std::map<const FeatureFamily*, std::vector<Part>> parts;
    for (std::size_t i = 0; i < queries.size(); ++i) {
      predictions[i] = {};
      collect_parts(queries[i], i, parts);
    }
    std::vector<bool> has_measured_step(queries.size(), false);
    for (const auto& [family, family_parts] : parts) {
      const bool measured = predict_family(*family, family_parts, queries, conditions, predictions);
      for (const Part& part : family_parts) has_measured_step[part.layer] = measured;
    }
    for (std::size_t i = 0; i < queries.size(); ++i) {
      finish(queries[i], conditions, has_measured_step[i], predictions[i]);
    }
  }

  // Whether the device's own rows or runs in this precision are in the training.
  [[nodiscard]] bool was_measured_in(const Conditions& conditions) const {
    const auto matches = [&](const auto& known) {
      return known.gpu == conditions.device->key && known.precision == layersim::name(conditions.precision) &&
             (conditions.stack.empty() || known.stack == conditions.stack);
    };
    if (const RunModel* runs = run_model(*conditions.device)) {
      return std::any_of(runs->known.begin(), runs->known.end(), [&](const KnownRuns& known) {
        return known.runs > 0 && known.stack == stack_of(conditions) && matches(known);
      });
    }
    return std::any_of(predictor_.networks.begin(), predictor_.networks.end(),
                       [&](const TrainedNetwork& network) {
                         return std::any_of(network.known.begin(), network.known.end(), matches);
                       });
  }

  // The stack that was asked for, or the default.
  [[nodiscard]] std::string stack_of(const Conditions& conditions) const {
    return conditions.stack.empty() ? default_stack(*conditions.device) : std::string(conditions.stack);
  }

  [[nodiscard]] bool has_network(const FeatureFamily* family) const {
    return family != nullptr && predictor_.has_family(family->name);
  }

  // Parts of families that the run model has no network for.
  [[nodiscard]] std::vector<double> layer_times(const FeatureFamily& family,
                                                std::span<const FeatureQuery> parts,
                                                const Conditions& conditions) const {
    const NetworkChoice choice = chooser_.choose(family.name, *conditions.device, conditions.stack);
    std::vector<double> times_ms;
    if (choice.network == nullptr) {
      for (const FeatureQuery& part : parts) times_ms.push_back(data_sheet_ms(part, conditions));
      return times_ms;
    }
    Conditions stack_conditions = conditions;
    stack_conditions.stack = choice.stack;
    std::vector<TimeEstimate> estimates(parts.size());
    evaluate(*choice.network, parts, stack_conditions, estimates);
    for (const TimeEstimate& estimate : estimates)
      times_ms.push_back(std::exp(static_cast<double>(estimate.log_ms)));
    return times_ms;
  }

  void collect_parts(const LayerQuery& query, std::size_t index,
                     std::map<const FeatureFamily*, std::vector<Part>>& parts) const {
    const FeatureFamily* family = find_feature_family(*query.problem);
    if (has_network(family)) {
      parts[family].push_back({index, *query.problem, *query.work, false});
      return;
    }
    if (query.work->forward.bytes() <= 0) return;  // shapes are not known
    std::vector<Problem> problems = stand_ins(*query.problem, *query.work);
    const bool answered = std::all_of(problems.begin(), problems.end(), [&](const Problem& problem) {
      return has_network(find_feature_family(problem));
    });
    if (!answered) return;  // left to finish()
    for (Problem& problem : problems) {
      const LayerWork work = problem.kind->work(problem);
      std::vector<Part>& of_family = parts[find_feature_family(problem)];
      of_family.push_back({index, std::move(problem), work, true});
    }
  }

  // Whether the rows behind it were training steps, too.
  bool predict_family(const FeatureFamily& family, const std::vector<Part>& parts,
                      std::span<const LayerQuery> queries, const Conditions& conditions,
                      std::span<LayerPrediction> predictions) const {
    const NetworkChoice choice = chooser_.choose(family.name, *conditions.device, conditions.stack);
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
      prediction.inside_trained_range = !estimated && choice.device_known && step[i].inside_trained_range &&
                                        forward[i].inside_trained_range;
      const double half_width = estimated ? kEstimateHalfWidth : static_cast<double>(step[i].log_half_width);
      prediction.interval_ms = Interval{-half_width, half_width};  // in log(time) until finish()
    }
    return training;
  }

  static bool knows_training(const TrainedNetwork& network, const std::string& stack) {
    return std::any_of(network.known.begin(), network.known.end(), [&](const KnownRows& known) {
      return known.stack == stack && known.pass == "training";
    });
  }

  static std::vector<TimeEstimate> run(const TrainedNetwork& network, Pass pass,
                                       const std::vector<Part>& parts, std::span<const LayerQuery> queries,
                                       Conditions conditions) {
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

  // What the networks left open: the update, a backward pass that was not measured, the interval; all of a
  // layer that no network answers for.
  static void finish(const LayerQuery& query, const Conditions& conditions, bool has_measured_step,
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

  PredictorFile predictor_;
  std::string statement_;
  DeviceDb devices_;
  mutable NetworkChooser chooser_;  // keeps devices that it has read
};

}  // namespace

std::unique_ptr<Predictor> make_layerwise(const std::filesystem::path& trained_file) {
  return std::make_unique<LayerwisePredictor>(trained_file.empty() ? shipped_predictor_file() : trained_file);
}

}  // namespace layersim
