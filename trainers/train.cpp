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

constexpr std::size_t kLeastTrainingRows = 50;
constexpr float kFeatureLimit = 8;  // as the engine limits normalised features
// Stacks with less than this share of a network's rows would be drowned by the others.
constexpr double kRareStackShare = 0.05;
constexpr float kRareStackWeight = 4;

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

TrainedNetwork train_network(const SampleSet& set, const PlannedNetwork& plan, const Trainer& trainer,
                             const TrainSettings& settings, const TrainReport& report) {
  const Parts parts = split(set, plan.samples, settings);
  if (parts.training.size() < kLeastTrainingRows || parts.validation.empty()) {
    throw bad_use("too few rows to train on: " + std::to_string(plan.samples.size()));
  }
  TrainedNetwork network;
  network.family = plan.family;
  network.stack_group = plan.stack_group;
  network.gpus = names_of(parts.training, [&](std::size_t i) {
    return set.devices[static_cast<std::size_t>(set.samples[i].device)].key;
  });
  network.stacks = names_of(parts.training, [&](std::size_t i) {
    return set.stacks[static_cast<std::size_t>(set.samples[i].stack)];
  });
  FeatureMatrix training = make_feature_matrix(set, parts.training, network.gpus, network.stacks);
  FeatureMatrix validation = make_feature_matrix(set, parts.validation, network.gpus, network.stacks);
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
  task.options = plan.options;
  if (settings.epochs > 0) task.options.epochs = settings.epochs;
  for (int member = 0; member < plan.members; ++member) {
    task.options.seed = settings.seed + static_cast<std::uint64_t>(member);
    const std::string name = plan.members == 1 ? plan.name() : plan.name() + ' ' + std::to_string(member + 1);
    network.members.push_back(
        trainer.train(task, [&](const TrainingProgress& progress) { report(name, progress); }));
  }

  network.intervals = make_intervals(set, parts.validation, predict_samples(network, set, parts.validation));
  network.known = known_rows(set, parts.training, parts.test, predict_samples(network, set, parts.test));
  return network;
}

bool is_asked_for(const Sample& sample, const std::vector<std::string>& kinds) {
  return kinds.empty() || std::find(kinds.begin(), kinds.end(), sample.problem.kind->name) != kinds.end() ||
         std::find(kinds.begin(), kinds.end(), sample.family->name) != kinds.end();
}

}  // namespace

std::vector<TrainedNetwork> train_networks(const SampleSet& set, const Trainer& trainer,
                                           const TrainSettings& settings, const TrainReport& report) {
  std::vector<std::size_t> samples;
  for (std::size_t i = 0; i < set.samples.size(); ++i) {
    if (is_asked_for(set.samples[i], settings.kinds)) samples.push_back(i);
  }
  if (samples.empty()) throw bad_use("there are no rows to train on");
  std::vector<TrainedNetwork> networks;
  for (const PlannedNetwork& plan : plan_networks(set, samples)) {
    with_context(plan.name(),
                 [&] { networks.push_back(train_network(set, plan, trainer, settings, report)); });
  }
  return networks;
}

}  // namespace layersim
