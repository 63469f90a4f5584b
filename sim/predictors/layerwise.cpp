// The layer-wise method: a feed-forward network per layer family, trained on measured layers of real devices,
// predicts each layer's time; the times are summed. The trained file comes along in configs/predictors.

#include <algorithm>
#include <cmath>
#include <set>

#include "sim/predictors/layer_networks.h"
#include "sim/predictors/precision_limit.h"
#include "sim/predictors/predictor.h"
#include "sim/predictors/predictor_file.h"
#include "sim/predictors/run_layers.h"
#include "sim/predictors/run_stack.h"
#include "sim/predictors/run_warnings.h"

namespace layersim {
namespace {

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
      : predictor_(read_predictor_file(file)), statement_(describe(predictor_)), layers_(predictor_) {}

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

  [[nodiscard]] StepOverhead step_overhead(const LayersTime& layers, const HostWork& host,
                                           const Conditions& conditions) const override {
    const RunModel* runs = run_model(*conditions.device);
    if (runs == nullptr) return {};
    Conditions run_conditions = conditions;
    const std::string stack = stack_of(conditions);
    run_conditions.stack = stack;
    const double ms = batch_ms(*runs, run_conditions, layers.ms, host);
    const std::string told_by = is_new_to_stack(layers) ? framework_pattern(stack) : stack;
    const double half_width =
        run_half_width(*runs, told_by, run_novelty(layers, is_measured(*runs, run_conditions)));
    return {.ms = ms - layers.ms,
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
      predict_by_runs(*runs, queries, conditions, predictions);
    } else {
      layers_.predict(queries, conditions, predictions);
    }
  }

  void predict_by_runs(const RunModel& runs, std::span<const LayerQuery> queries,
                       const Conditions& conditions, std::span<LayerPrediction> predictions) const {
    Conditions run_conditions = conditions;
    const std::string stack = stack_of(conditions);
    run_conditions.stack = stack;
    std::set<const FeatureFamily*> unknown;
    predict_run_layers(
        runs, queries, run_conditions,
        [&](const FeatureFamily& family, std::span<const FeatureQuery> parts, const Conditions& of_parts) {
          if (!layers_.has_network(&family)) unknown.insert(&family);
          return layers_.times_ms(family, parts, of_parts);
        },
        predictions);
    for (std::size_t i = 0; i < queries.size(); ++i) {
      Basis& basis = predictions[i].basis;
      const bool learned = !unknown.contains(find_feature_family(*queries[i].problem));
      if (!learned && basis == Basis::trained) basis = Basis::estimated;
    }
  }

  // Whether the device's own rows or runs in this precision are in the training.
  [[nodiscard]] bool was_measured_in(const Conditions& conditions) const {
    const auto matches = [&](const auto& known) {
      return known.gpu == conditions.device->key && known.precision == layersim::name(conditions.precision) &&
             (conditions.stack.empty() || known.stack == conditions.stack);
    };
    if (const RunModel* runs = run_model(*conditions.device)) {
      const std::string stack = stack_of(conditions);
      return std::any_of(runs->known.begin(), runs->known.end(), [&](const KnownRuns& known) {
        return known.runs > 0 && known.stack == stack && matches(known);
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

  PredictorFile predictor_;
  std::string statement_;
  DeviceDb devices_;
  LayerNetworks layers_;
};

}  // namespace

std::unique_ptr<Predictor> make_layerwise(const std::filesystem::path& trained_file) {
  return std::make_unique<LayerwisePredictor>(trained_file.empty() ? shipped_predictor_file() : trained_file);
}

}  // namespace layersim
