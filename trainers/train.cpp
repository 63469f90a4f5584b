#include "trainers/train.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "sim/core/error.h"
#include "trainers/interval.h"
#include "trainers/known_rows.h"
#include "trainers/plan.h"
#include "trainers/sample_prediction.h"

namespace layersim {
namespace {

// Below it the validation part is too small for intervals of its own.
constexpr std::size_t kFewTrainingRows = 3000;
constexpr int kFolds = 5;
constexpr float kFeatureLimit = 8;  // as the engine limits normalised features
// Stacks with less than this share of a network's rows would be drowned by the others.
constexpr double kRareStackShare = 0.05;
constexpr float kRareStackWeight = 8;

struct Parts {
  std::vector<std::size_t> training, validation, test;
};

Parts split(const SampleSet& set, const std::vector<std::size_t>& samples, const TrainSettings& settings) {
  const double validation_end = settings.test_share + settings.validation_share * (1 - settings.test_share);
  Parts parts;
  for (const std::size_t i : samples) {
    const double position = split_position(set.samples[i].configuration, settings.seed);
    auto& part = position < settings.test_share ? parts.test
                 : position < validation_end    ? parts.validation
                                                : parts.training;
    part.push_back(i);
  }
  return parts;
}

// Names of the devices or stacks of these samples, sorted.
template <typename NameOf>
std::vector<std::string> names_of(const std::vector<std::size_t>& samples, NameOf name_of) {
  std::set<std::string> names;
  for (const std::size_t i : samples) names.insert(name_of(i));
  return {names.begin(), names.end()};
}

void weigh_rare_stacks(const SampleSet& set, FeatureMatrix& matrix) {
  std::vector<std::size_t> rows(set.stacks.size(), 0);
  for (const std::size_t i : matrix.samples) ++rows[static_cast<std::size_t>(set.samples[i].stack)];
  double sum = 0;
  for (std::size_t row = 0; row < matrix.rows(); ++row) {
    const auto stack = static_cast<std::size_t>(set.samples[matrix.samples[row]].stack);
    const double share = static_cast<double>(rows[stack]) / static_cast<double>(matrix.rows());
    if (share < kRareStackShare) matrix.weights[row] *= kRareStackWeight;
    sum += static_cast<double>(matrix.weights[row]);
  }
  const auto scale = static_cast<float>(static_cast<double>(matrix.rows()) / sum);
  for (float& weight : matrix.weights) weight *= scale;
}

// Mean, scale and trained range of the features.
void measure_features(const FeatureMatrix& matrix, TrainedNetwork& network) {
  const auto width = static_cast<std::size_t>(matrix.feature_count);
  const auto rows = static_cast<double>(matrix.rows());
  const std::size_t own = matrix.family->features.size();
  network.low.assign(own, std::numeric_limits<float>::max());
  network.high.assign(own, std::numeric_limits<float>::lowest());
  for (std::size_t f = 0; f < width; ++f) {
    double sum = 0;
    for (std::size_t row = 0; row < matrix.rows(); ++row) {
      const float value = matrix.features[row * width + f];
      sum += static_cast<double>(value);
      if (f >= own) continue;
      network.low[f] = std::min(network.low[f], value);
      network.high[f] = std::max(network.high[f], value);
    }
    const double mean = sum / rows;
    double squares = 0;
    for (std::size_t row = 0; row < matrix.rows(); ++row) {
      const double difference = static_cast<double>(matrix.features[row * width + f]) - mean;
      squares += difference * difference;
    }
    const double deviation = std::sqrt(squares / rows);
    network.mean.push_back(static_cast<float>(mean));
    network.scale.push_back(deviation < 1e-6 ? 1.0F : static_cast<float>(deviation));
  }
}

float normalized(const TrainedNetwork& network, std::size_t feature, float value) {
  return std::clamp((value - network.mean[feature]) / network.scale[feature], -kFeatureLimit, kFeatureLimit);
}

void normalize(const TrainedNetwork& network, FeatureMatrix& matrix) {
  const auto width = static_cast<std::size_t>(matrix.feature_count);
  for (std::size_t i = 0; i < matrix.features.size(); ++i) {
    matrix.features[i] = normalized(network, i % width, matrix.features[i]);
  }
}

// What all trainings of a predictor share.
struct Training {
  const SampleSet& set;
  const Trainer& trainer;
  const TrainSettings& settings;
  const TrainReport& report;
};

TrainingOptions options_of(const PlannedNetwork& plan, const TrainSettings& settings) {
  TrainingOptions options = plan.options;
  if (settings.epochs > 0) options.epochs = settings.epochs;
  if (settings.batch_rows > 0) options.batch_rows = settings.batch_rows;
  if (settings.learning_rate > 0) options.learning_rate = settings.learning_rate;
  return options;
}

// Members trained on `training`, their best states chosen by `validation`; neither intervals nor known rows.
TrainedNetwork fit_network(const Training& run, const PlannedNetwork& plan, const std::string& name,
                           const std::vector<std::size_t>& training_samples,
                           const std::vector<std::size_t>& validation_samples) {
  const SampleSet& set = run.set;
  TrainedNetwork network;
  network.family = plan.family;
  network.stack_group = plan.stack_group;
  network.gpus = names_of(training_samples, [&](std::size_t i) {
    return set.devices[static_cast<std::size_t>(set.samples[i].device)].key;
  });
  network.stacks = names_of(training_samples, [&](std::size_t i) {
    return set.stacks[static_cast<std::size_t>(set.samples[i].stack)];
  });
  FeatureMatrix training = make_feature_matrix(set, training_samples, network.gpus, network.stacks);
  FeatureMatrix validation = make_feature_matrix(set, validation_samples, network.gpus, network.stacks);
  weigh_rare_stacks(set, training);
  measure_features(training, network);
  normalize(network, training);
  normalize(network, validation);

  TrainingTask task;
  task.training = &training;
  task.validation = &validation;
  task.device_column = training.feature_count - static_cast<int>(network.gpus.size()) -
                       static_cast<int>(network.stacks.size());
  for (std::size_t i = 0; i < network.gpus.size(); ++i) {
    task.absent_device.push_back(normalized(network, static_cast<std::size_t>(task.device_column) + i, 0));
  }
  task.options = options_of(plan, run.settings);
  const int members = run.settings.members > 0 ? run.settings.members : plan.members;
  network.training = describe(task.options, members);
  for (int member = 0; member < members; ++member) {
    task.options.seed = run.settings.seed + static_cast<std::uint64_t>(member);
    const std::string member_name = members == 1 ? name : name + ' ' + std::to_string(member + 1);
    network.members.push_back(run.trainer.train(
        task, [&](const TrainingProgress& progress) { run.report(member_name, progress); }));
  }
  return network;
}

// Intervals from the residuals of the validation rows. Where there are few rows, from those of all rows but
// the test's, each part predicted by a network that is trained on the others.
std::vector<IntervalTable> fit_intervals(const Training& run, const PlannedNetwork& plan, const Parts& parts,
                                         const TrainedNetwork& network) {
  const SampleSet& set = run.set;
  if (parts.training.size() >= kFewTrainingRows) {
    return make_intervals(set, parts.validation, predict_samples(network, set, parts.validation));
  }
  std::vector<std::size_t> samples;
  std::vector<TimeEstimate> estimates;
  for (int fold = 0; fold < kFolds; ++fold) {
    std::vector<std::size_t> fitted;
    std::vector<std::size_t> left_out;
    for (const auto& part : {parts.training, parts.validation}) {
      for (const std::size_t i : part) {
        // Another seed than that of the split: the parts are unlike its parts.
        const double position = split_position(set.samples[i].configuration, ~run.settings.seed);
        (static_cast<int>(position * kFolds) == fold ? left_out : fitted).push_back(i);
      }
    }
    if (fitted.empty() || left_out.empty()) continue;
    const std::string name = plan.name() + " part " + std::to_string(fold + 1);
    const auto answers = predict_samples(fit_network(run, plan, name, fitted, left_out), set, left_out);
    samples.insert(samples.end(), left_out.begin(), left_out.end());
    estimates.insert(estimates.end(), answers.begin(), answers.end());
  }
  return make_intervals(set, samples, estimates);
}

// Why the rows do not suffice; empty: they do.
std::string lack_of(const Parts& parts, std::size_t rows) {
  const std::string all = std::to_string(rows) + " rows";
  if (parts.training.size() < kLeastTrainingRows) {
    return all + ", " + std::to_string(parts.training.size()) + " of them to train on; the least is " +
           std::to_string(kLeastTrainingRows);
  }
  return parts.validation.empty() ? all + " of so few different layers that none is left to validate by" : "";
}

TrainedNetwork train_network(const Training& run, const PlannedNetwork& plan, const Parts& parts) {
  const SampleSet& set = run.set;
  TrainedNetwork network = fit_network(run, plan, plan.name(), parts.training, parts.validation);
  network.intervals = fit_intervals(run, plan, parts, network);
  network.known = known_rows(set, parts.training, parts.test, predict_samples(network, set, parts.test));
  return network;
}

bool is_asked_for(const Sample& sample, const std::vector<std::string>& kinds) {
  return kinds.empty() || std::find(kinds.begin(), kinds.end(), sample.problem.kind->name) != kinds.end() ||
         std::find(kinds.begin(), kinds.end(), sample.family->name) != kinds.end();
}

}  // namespace

TrainingResult train_networks(const SampleSet& set, const Trainer& trainer, const TrainSettings& settings,
                              const TrainReport& report) {
  std::vector<std::size_t> samples;
  for (std::size_t i = 0; i < set.samples.size(); ++i) {
    if (is_asked_for(set.samples[i], settings.kinds)) samples.push_back(i);
  }
  if (set.samples.empty()) throw bad_input("there are no rows to train on");
  if (samples.empty()) throw bad_use("there are no rows of these kinds to train on");
  TrainingResult result;
  for (PlannedNetwork& plan : plan_networks(set, samples)) {
    const Parts parts = split(set, plan.samples, settings);
    if (const std::string lack = lack_of(parts, plan.samples.size()); !lack.empty()) {
      result.untrained.push_back({plan.name(), std::move(plan.samples), lack});
      continue;
    }
    with_context(plan.name(), [&] {
      result.networks.push_back(train_network({set, trainer, settings, report}, plan, parts));
    });
  }
  if (!result.networks.empty()) return result;
  const UntrainedNetwork& first = result.untrained.front();
  throw bad_input("too few rows to train on: " + first.name + " has " + first.reason +
                  (result.untrained.size() > 1 ? "; no other family has enough either" : ""));
}

}  // namespace layersim
