#include "trainers/calibrate.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "sim/core/error.h"
#include "sim/predictors/network_choice.h"
#include "trainers/interval.h"
#include "trainers/known_rows.h"
#include "trainers/sample_prediction.h"
#include "trainers/virtual_device.h"

namespace layersim {
namespace {

constexpr std::size_t kMostFolds = 10;

// The network with this calibration alone for the device.
TrainedNetwork with_calibration(TrainedNetwork network, TrainedNetwork::Calibration calibration) {
  std::erase_if(network.calibrations, [&](const auto& other) { return other.gpu == calibration.gpu; });
  network.calibrations.push_back(std::move(calibration));
  return network;
}

double mape(const SampleSet& set, std::span<const std::size_t> samples,
            std::span<const TimeEstimate> estimates) {
  double sum = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double predicted_ms = std::exp(static_cast<double>(estimates[i].log_ms));
    sum += std::abs(predicted_ms / set.samples[samples[i]].time_ms - 1);
  }
  return sum / static_cast<double>(samples.size());
}

// By how much the half-widths of the estimates must grow to hold 90 % of the measured times.
double width_factor(const SampleSet& set, std::span<const std::size_t> samples,
                    std::span<const TimeEstimate> estimates) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double log_ms = static_cast<double>(estimates[i].log_ms);
    const double miss = std::abs(log_ms - std::log(set.samples[samples[i]].time_ms));
    const auto half_width = static_cast<double>(estimates[i].log_half_width);
    if (half_width > 0) ratios.push_back(miss / half_width);
  }
  return ratios.empty() ? 1 : conformal_quantile(std::move(ratios));
}

CalibrationResult adapt(TrainedNetwork& network, const SampleSet& set, std::span<const std::size_t> samples) {
  CalibrationResult result;
  result.network = network.family + '@' + network.stack_group;
  result.rows = samples.size();
  for (const std::size_t i : samples) {
    result.stacks.insert(set.stacks[static_cast<std::size_t>(set.samples[i].stack)]);
  }
  result.mape_before = mape(set, samples, predict_samples(network, set, samples));
  result.mape_after = result.mape_before;
  result.adapted = samples.size() >= kLeastCalibrationRows;
  if (!result.adapted) return result;

  std::vector<TimeEstimate> left_out = cross_calibrated(network, set, samples);
  result.mape_after = mape(set, samples, left_out);
  TrainedNetwork::Calibration calibration = fit_calibration(network, set, samples);
  calibration.width_factor = width_factor(set, samples, left_out);
  for (TimeEstimate& estimate : left_out) {
    estimate.log_half_width *= static_cast<float>(calibration.width_factor);
  }
  const std::string gpu = calibration.gpu;
  network = with_calibration(std::move(network), std::move(calibration));
  if (std::find(network.gpus.begin(), network.gpus.end(), gpu) == network.gpus.end()) {
    std::erase_if(network.known, [&](const KnownRows& known) { return known.gpu == gpu; });
    for (KnownRows& known : known_rows(set, samples, samples, left_out)) {
      network.known.push_back(std::move(known));
    }
  }
  return result;
}

// The samples of each network, index into PredictorFile::networks; their stacks become those of the choice.
std::map<std::size_t, std::vector<std::size_t>> choose_networks(const PredictorFile& predictor,
                                                                SampleSet& set,
                                                                std::span<const std::size_t> samples) {
  NetworkChooser chooser(predictor);
  std::map<std::pair<const FeatureFamily*, std::int32_t>, NetworkChoice> choices;
  std::map<std::size_t, std::vector<std::size_t>> chosen;
  for (const std::size_t i : samples) {
    Sample& sample = set.samples[i];
    const auto [choice, is_new] = choices.try_emplace({sample.family, sample.stack});
    if (is_new) {
      choice->second =
          chooser.choose(sample.family->name, set.devices[static_cast<std::size_t>(sample.device)],
                         set.stacks[static_cast<std::size_t>(sample.stack)]);
    }
    const TrainedNetwork* network = choice->second.network;
    if (network == nullptr) {
      throw bad_use("the predictor has no network for layers of the family '" +
                    std::string(sample.family->name) + "'");
    }
    sample.stack = stack_index(set, choice->second.stack);
    chosen[static_cast<std::size_t>(network - predictor.networks.data())].push_back(i);
  }
  return chosen;
}

}  // namespace

std::vector<TimeEstimate> cross_calibrated(const TrainedNetwork& network, const SampleSet& set,
                                           std::span<const std::size_t> samples) {
  std::vector<TimeEstimate> estimates(samples.size());
  const std::size_t folds = std::min(samples.size(), kMostFolds);
  for (std::size_t fold = 0; fold < folds; ++fold) {
    std::vector<std::size_t> fitted;
    std::vector<std::size_t> left_out;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      (i % folds == fold ? left_out : fitted).push_back(samples[i]);
    }
    const TrainedNetwork adapted = with_calibration(network, fit_calibration(network, set, fitted));
    const std::vector<TimeEstimate> answers = predict_samples(adapted, set, left_out);
    for (std::size_t i = 0; i < answers.size(); ++i) estimates[fold + i * folds] = answers[i];
  }
  return estimates;
}

std::vector<CalibrationResult> calibrate(PredictorFile& predictor, SampleSet set,
                                         std::span<const std::size_t> samples) {
  std::vector<CalibrationResult> results;
  for (const auto& [network, own] : choose_networks(predictor, set, samples)) {
    results.push_back(adapt(predictor.networks[network], set, own));
  }
  return results;
}

}  // namespace layersim
