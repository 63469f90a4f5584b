#include "sim/evaluation/row_prediction.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <tuple>

#include "sim/evaluation/baselines.h"
#include "sim/predictors/network_choice.h"
#include "sim/predictors/stand_in.h"

namespace layersim {
namespace {

// Half-width, in log(time), of the interval of an estimate: a factor of 2, as `predict` has it.
const double kEstimateHalfWidth = std::log(2.0);

// A row's layer, or one of those that stand in for it.
struct Part {
  std::size_t place = 0;  // in the result
  FeatureQuery query;
  bool is_stand_in = false;
};

struct StandIn {
  Problem problem;
  LayerWork work;
};

bool knows(const TrainedNetwork& network, const std::string& stack, Pass pass) {
  return std::any_of(network.known.begin(), network.known.end(), [&](const KnownRows& known) {
    return known.stack == stack && known.pass == name(pass);
  });
}

// What the pass of this row takes beside a forward pass, by the device sheet.
double pass_to_forward(const SampleSet& set, const Sample& sample) {
  if (sample.pass == Pass::forward) return 1;
  Sample forward = sample;
  forward.pass = Pass::forward;
  if (sample.work.forward.bytes() <= 0) return 1;
  return roofline_ms(set, sample) / roofline_ms(set, forward);
}

class RowPredictor {
 public:
  RowPredictor(const PredictorFile& predictor, const SampleSet& set, std::span<const std::size_t> samples)
      : predictor_(predictor),
        chooser_(predictor),
        set_(set),
        samples_(samples),
        predictions_(samples.size()) {}

  std::vector<RowPrediction> run() {
    for (std::size_t i = 0; i < samples_.size(); ++i) collect(i);
    for (const auto& [key, parts] : groups_) predict_group(*std::get<0>(key), parts);
    for (RowPrediction& prediction : predictions_) {
      // Until here the half-width of log(time).
      const double half_width = prediction.interval_ms.high;
      prediction.interval_ms = {prediction.time_ms * std::exp(-half_width),
                                prediction.time_ms * std::exp(half_width)};
    }
    return std::move(predictions_);
  }

 private:
  // Rows that share what the engine wants to be the same.
  using Key = std::tuple<const FeatureFamily*, std::int32_t, std::int32_t, Precision, Optimizer, Pass, bool>;

  void collect(std::size_t place) {
    const Sample& sample = set_.samples[samples_[place]];
    const FeatureQuery query = set_.query(sample);
    const auto add = [&](const FeatureFamily* family, const FeatureQuery& part, bool is_stand_in) {
      groups_[{family, sample.device, sample.stack, sample.precision, sample.optimizer, sample.pass,
               is_stand_in}]
          .push_back({place, part, is_stand_in});
    };
    // Dropout, say, does nothing forward: a launch, and what the device sheet says of its backward pass.
    const bool idle_forward = sample.work.forward.bytes() <= 0;
    if (idle_forward) predictions_[place].time_ms = roofline_ms(set_, sample);
    if (sample.family != nullptr && !idle_forward && predictor_.has_family(sample.family->name)) {
      add(sample.family, query, false);
      return;
    }
    std::vector<Problem> problems = stand_ins(sample.problem, sample.work);
    const bool answered = std::all_of(problems.begin(), problems.end(), [&](const Problem& problem) {
      return predictor_.has_family(find_feature_family(problem)->name);
    });
    if (!answered) return;
    for (Problem& problem : problems) {
      const LayerWork work = problem.kind->work(problem);
      const StandIn& stand_in = stand_ins_.emplace_back(StandIn{std::move(problem), work});
      FeatureQuery part = query;
      part.layer.problem = &stand_in.problem;
      part.layer.work = &stand_in.work;
      add(find_feature_family(stand_in.problem), part, true);
    }
  }

  void predict_group(const FeatureFamily& family, const std::vector<Part>& parts) {
    const Sample& first = set_.samples[samples_[parts.front().place]];
    Conditions conditions = set_.conditions(first);
    const NetworkChoice choice = chooser_.choose(family.name, *conditions.device, conditions.stack);
    if (choice.network == nullptr) return;
    conditions.stack = choice.stack;
    const bool measured = !parts.front().is_stand_in && knows(*choice.network, choice.stack, first.pass);
    std::vector<FeatureQuery> queries;
    queries.reserve(parts.size());
    for (const Part& part : parts) {
      queries.push_back(part.query);
      if (!measured) queries.back().pass = Pass::forward;
    }
    if (!measured) {
      conditions.mode = Mode::forward;
      conditions.optimizer = Optimizer::none;
    }
    std::vector<TimeEstimate> estimates(queries.size());
    evaluate(*choice.network, queries, conditions, estimates);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const double factor = measured ? 1 : pass_to_forward(set_, set_.samples[samples_[parts[i].place]]);
      RowPrediction& prediction = predictions_[parts[i].place];
      prediction.time_ms += factor * std::exp(static_cast<double>(estimates[i].log_ms));
      prediction.network = choice.network->family + '@' + choice.network->stack_group;
      const bool estimated = parts[i].is_stand_in || !measured;
      prediction.basis = estimated ? Basis::estimated : Basis::trained;
      prediction.interval_ms.high =
          estimated ? kEstimateHalfWidth : static_cast<double>(estimates[i].log_half_width);
      prediction.inside_trained_range =
          !estimated && choice.device_known && estimates[i].inside_trained_range;
    }
  }

  const PredictorFile& predictor_;
  NetworkChooser chooser_;
  const SampleSet& set_;
  std::span<const std::size_t> samples_;
  std::deque<StandIn> stand_ins_;  // stay in place: parts point to them
  std::map<Key, std::vector<Part>> groups_;
  std::vector<RowPrediction> predictions_;
};

}  // namespace

std::vector<RowPrediction> predict_rows(const PredictorFile& predictor, const SampleSet& set,
                                        std::span<const std::size_t> samples) {
  return RowPredictor(predictor, set, samples).run();
}

}  // namespace layersim
