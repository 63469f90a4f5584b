#include "trainers/part_matrix.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/features/device_numbers.h"
#include "trainers/part_features.h"

namespace layersim {
namespace {

constexpr float kFeatureLimit = 8;  // as the engine limits normalised features
// What a network does not look at is always 0.
constexpr float kUnusedScale = 1e30F;

std::vector<std::vector<float>> features_of_settings(const RunSet& set, const TrainedNetwork& network) {
  std::vector<std::vector<float>> shared;
  for (const RunSetting& setting : set.settings) {
    shared.push_back(
        shared_features(setting.conditions(), network.device_view, network.gpus, network.stacks));
  }
  return shared;
}

// More memory makes nothing faster: in the few devices with runs it would stand for something else.
bool is_learned_of_devices(const TrainedNetwork& network, std::size_t shared_feature) {
  if (network.device_view != DeviceView::full || shared_feature >= device_feature_specs().size()) return true;
  const std::string_view name = device_feature_specs()[shared_feature].name;
  return name != "log_memory" && name != "nvlink";
}

std::vector<bool> rows_of_runs(const RunSet& set, std::size_t family, const std::vector<std::size_t>& runs) {
  std::vector<bool> used(set.parts[family].rows(), false);
  for (const std::size_t i : runs) {
    for (const PartCount& part : set.runs[i].parts) {
      if (part.family == static_cast<std::int32_t>(family)) used[static_cast<std::size_t>(part.row)] = true;
    }
  }
  return used;
}

}  // namespace

void measure_parts(const RunSet& set, std::size_t family, const std::vector<std::size_t>& runs,
                   TrainedNetwork& network) {
  const PartRows& rows = set.parts[family];
  const std::size_t own = rows.family->features.size();
  const auto shared = features_of_settings(set, network);
  const std::vector<bool> used = rows_of_runs(set, family, runs);
  const std::size_t width = own + shared.front().size();
  std::vector<double> sums(width, 0), squares(width, 0);
  network.low.assign(own, std::numeric_limits<float>::max());
  network.high.assign(own, std::numeric_limits<float>::lowest());
  double count = 0;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    if (!used[row]) continue;
    ++count;
    const float* features = rows.features.data() + row * own;
    const std::vector<float>& of_setting = shared[static_cast<std::size_t>(rows.setting[row])];
    for (std::size_t f = 0; f < width; ++f) {
      const float value = f < own ? features[f] : of_setting[f - own];
      sums[f] += static_cast<double>(value);
      squares[f] += static_cast<double>(value) * static_cast<double>(value);
      if (f >= own) continue;
      network.low[f] = std::min(network.low[f], value);
      network.high[f] = std::max(network.high[f], value);
    }
  }
  network.mean.assign(width, 0.0F);
  network.scale.assign(width, 1.0F);
  if (count == 0) return;
  for (std::size_t f = 0; f < width; ++f) {
    const double mean = sums[f] / count;
    const double deviation = std::sqrt(std::max(squares[f] / count - mean * mean, 0.0));
    network.mean[f] = static_cast<float>(mean);
    const bool unlearned = f < own ? !is_learned_from_runs(*rows.family, rows.family->features[f].name)
                                   : !is_learned_of_devices(network, f - own);
    // Of what was the same in all rows nothing is learned: another value later must not count.
    network.scale[f] = unlearned || deviation <= 1e-4 ? kUnusedScale : static_cast<float>(deviation);
    if (!unlearned || f >= own) continue;
    network.low[f] = std::numeric_limits<float>::lowest();
    network.high[f] = std::numeric_limits<float>::max();
  }
}

PartMatrix make_part_matrix(const RunSet& set, std::size_t family, const TrainedNetwork& network) {
  const PartRows& rows = set.parts[family];
  const std::size_t own = rows.family->features.size();
  const auto normalized = [&](std::size_t feature, float value) {
    return std::clamp((value - network.mean[feature]) / network.scale[feature], -kFeatureLimit,
                      kFeatureLimit);
  };
  auto shared = features_of_settings(set, network);
  for (auto& features : shared) {
    for (std::size_t i = 0; i < features.size(); ++i) features[i] = normalized(own + i, features[i]);
  }
  const std::size_t width = own + shared.front().size();
  PartMatrix matrix;
  matrix.feature_count = static_cast<int>(width);
  matrix.term_count = static_cast<int>(rows.family->terms.size());
  matrix.log_terms_ms = rows.log_terms_ms;
  matrix.features.resize(rows.rows() * width);
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    float* out = matrix.features.data() + row * width;
    for (std::size_t f = 0; f < own; ++f) out[f] = normalized(f, rows.features[row * own + f]);
    const auto& of_setting = shared[static_cast<std::size_t>(rows.setting[row])];
    std::copy(of_setting.begin(), of_setting.end(), out + own);
  }
  const std::size_t device_column = width - network.gpus.size() - network.stacks.size();
  matrix.device_column = static_cast<int>(device_column);
  for (std::size_t i = 0; i < network.gpus.size(); ++i) {
    matrix.absent_device.push_back(normalized(device_column + i, 0));
  }
  return matrix;
}

}  // namespace layersim
