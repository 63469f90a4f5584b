#include "sim/methods/transfer/transfer_model.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "sim/core/error.h"
#include "sim/methods/common/log_interval.h"
#include "sim/methods/transfer/operation_classes.h"
#include "sim/report/readable_text.h"

namespace layersim {
namespace {

constexpr double kLeastMs = 1e-3;
constexpr double kMostMs = 1e9;  // more than eleven days

float log_of(double time_ms) { return static_cast<float>(std::log(std::max(time_ms, kLeastMs))); }

void check_step(double step_ms) {
  if (step_ms >= kLeastMs && step_ms <= kMostMs) return;
  throw bad_input(
      "a step takes " + short_number(step_ms) +
      " ms on the anchor, which no training step does: are the times in ms, and are the steps right?");
}

// Operations of unknown names may be of any class: of them alone nothing is known of the error.
double half_width_of(const TransferPair& pair, double unknown_share) {
  return pair.half_width + unknown_share * (unseen_half_width(pair.half_width, 0) - pair.half_width);
}

}  // namespace

TransferInput transfer_input(const OperationProfile& profile) {
  if (profile.steps < 1) throw bad_input("does not tell how many steps it spans: --steps N");
  const double steps =
      static_cast<double>(profile.steps) * static_cast<double>(std::max<std::int64_t>(profile.devices, 1));
  std::vector<double> work_ms(operation_classes().size(), 0);
  double unknown_ms = 0;
  for (const OperationTime& operation : profile.device) {
    const OperationMatch match = match_operation(operation.name);
    work_ms[match.operation_class] += operation.time_ms / steps;
    if (!match.is_known) unknown_ms += operation.time_ms / steps;
  }
  double busy_ms = 0;
  for (const double time_ms : work_ms) busy_ms += time_ms;
  if (!(busy_ms > 0)) throw bad_input("has no time on a device");
  const double gaps_ms = profile.device_idle_ms.value_or(0) / static_cast<double>(profile.steps);

  TransferInput input;
  input.unknown_share = unknown_ms / busy_ms;
  input.step_ms = profile.step_ms.value_or(busy_ms + gaps_ms);
  check_step(busy_ms);
  check_step(input.step_ms);
  // What the profiler adds lies in the gaps, then in the operations; what a trace that was cut off lacks,
  // lies in both.
  double fill = 1;
  double idle_ms = input.step_ms - busy_ms;
  if (busy_ms > input.step_ms) {
    fill = input.step_ms / busy_ms;
    idle_ms = 0;
  } else if (busy_ms + gaps_ms < input.step_ms) {
    fill = input.step_ms / (busy_ms + gaps_ms);
    idle_ms = gaps_ms * fill;
  }
  for (const double time_ms : work_ms) {
    input.linear.push_back(time_ms * fill);
    input.shape.push_back(static_cast<float>(time_ms / busy_ms));
  }
  input.linear.push_back(idle_ms);
  input.shape.push_back(static_cast<float>(idle_ms / input.step_ms));
  input.shape.push_back(static_cast<float>((busy_ms + gaps_ms) / input.step_ms));
  input.shape.push_back(log_of(input.step_ms));
  input.shape.push_back(log_of(busy_ms));
  return input;
}

double linear_ms(const TransferPair& pair, const TransferInput& input) {
  double time_ms = pair.constant_ms;
  for (std::size_t i = 0; i < pair.factors.size(); ++i) time_ms += pair.factors[i] * input.linear[i];
  return std::max(time_ms, kLeastMs);
}

std::vector<float> transfer_features(const TransferInput& input, double linear_ms) {
  std::vector<float> features(input.shape);
  features.push_back(static_cast<float>(std::log(linear_ms / input.step_ms)));
  return features;
}

TransferPrediction predict_transfer(const TransferPair& pair, const TransferInput& input) {
  TransferPrediction prediction;
  prediction.linear_ms = linear_ms(pair, input);
  const std::vector<float> features = transfer_features(input, prediction.linear_ms);
  prediction.forest_ms = prediction.linear_ms * std::exp(pair.forest.predict(features));
  prediction.dense_ms =
      prediction.linear_ms * std::exp(pair.dense.predict(pair.normalisation.apply(features)));
  const double least = std::min(prediction.linear_ms, prediction.forest_ms);
  const double most = std::max(prediction.linear_ms, prediction.forest_ms);
  prediction.batch_ms = std::clamp(prediction.dense_ms, least, most);
  const Interval interval = log_interval(prediction.batch_ms, half_width_of(pair, input.unknown_share));
  prediction.low_ms = interval.low;
  prediction.high_ms = interval.high;
  return prediction;
}

const TransferPair& TransferModel::pair(const std::string& anchor, const std::string& target) const {
  std::set<std::string> anchors;
  std::set<std::string> targets;
  for (const TransferPair& candidate : pairs) {
    if (candidate.anchor == anchor && candidate.target == target) return candidate;
    anchors.insert(candidate.anchor);
    targets.insert(candidate.target);
  }
  const auto joined = [](const std::set<std::string>& keys) {
    std::string text;
    for (const std::string& key : keys) text.append(text.empty() ? "" : ", ").append(key);
    return text;
  };
  throw bad_use("the predictor was not trained from '" + anchor + "' to '" + target + "': anchors " +
                joined(anchors) + "; targets " + joined(targets));
}

std::vector<std::string> TransferModel::scaled_gpus(SizeAxis axis) const {
  std::vector<std::string> gpus;
  for (const SizeScaling& candidate : scalings) {
    if (candidate.axis == axis) gpus.push_back(candidate.gpu);
  }
  return gpus;
}

SizeScaling TransferModel::scaling(const std::string& gpu, SizeAxis axis) const {
  SizeScaling mean{gpu, axis, 0};
  double count = 0;
  for (const SizeScaling& candidate : scalings) {
    if (candidate.axis != axis) continue;
    if (candidate.gpu == gpu) return candidate;
    mean.curvature += candidate.curvature;
    ++count;
  }
  if (count > 0) mean.curvature /= count;
  return mean;
}

}  // namespace layersim
