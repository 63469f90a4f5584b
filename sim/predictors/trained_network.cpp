#include "sim/predictors/trained_network.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "sim/core/error.h"
#include "sim/features/transferable_features.h"
#include "sim/predictors/dense_kernel.h"

namespace layersim {
namespace {

constexpr float kFeatureLimit = 8;  // of a normalised feature, either way
constexpr std::size_t kPasses = 5;  // of the enumeration Pass
// Intervals come from rows of devices that were trained on. On a device left out of training the errors of
// convolutions are about three times as large (median over six devices 10 % instead of 4 %).
constexpr double kUnknownDeviceFactor = 3;

int widest_layer(const TrainedNetwork& network) {
  int widest = 0;
  for (const Mlp& member : network.members) {
    for (const DenseLayer& layer : member) widest = std::max({widest, layer.inputs, layer.outputs});
  }
  return widest;
}

float normalized(const TrainedNetwork& network, std::size_t feature, float value) {
  const float x = (value - network.mean[feature]) / network.scale[feature];
  return std::clamp(x, -kFeatureLimit, kFeatureLimit);
}

// The inputs of device_inputs() among the shared ones, where precision and optimizer stand between them.
void set_device_inputs(const TrainedNetwork& network, std::span<const float> inputs,
                       std::span<float> shared) {
  const std::size_t identity = identity_feature_count();
  std::copy_n(inputs.begin(), identity, shared.begin());
  std::copy_n(inputs.begin() + static_cast<std::ptrdiff_t>(identity), network.gpus.size(),
              shared.begin() + static_cast<std::ptrdiff_t>(device_feature_specs().size()));
}

// Runs one network, block after block, with buffers that are allocated once.
class Evaluation {
 public:
  Evaluation(const TrainedNetwork& network, const Conditions& conditions)
      : network_(network),
        conditions_(conditions),
        device_(conditions),
        family_(find_feature_family(network.family)),
        kernel_(dense_kernel()) {
    if (family_ == nullptr) throw internal_error("no feature family '" + network.family + "'");
    own_features_ = family_->features.size();
    for (const auto& calibration : network.calibrations) {
      if (calibration.gpu == conditions.device->key) calibration_ = &calibration;
    }
    const auto width = static_cast<std::size_t>(widest_layer(network)) * kBlockRows;
    inputs_.assign(width, 0.0F);
    current_.assign(width, 0.0F);
    next_.assign(width, 0.0F);
    terms_.assign(family_->terms.size() * kBlockRows, 0.0F);
    row_features_.resize(own_features_);
    for (std::size_t f = 0; f < own_features_; ++f) inverse_scale_.push_back(1 / network.scale[f]);
    row_terms_.resize(family_->terms.size());
    log_factors_ = term_log_factors(network, conditions);
    for (std::size_t k = 0; calibration_ != nullptr && k < log_factors_.size(); ++k)
      log_factors_[k] += static_cast<float>(calibration_->log_factors.at(k));
    fold_shared_features();
    prepare_intervals();
  }

  void run_block(std::span<const FeatureQuery> queries, std::span<TimeEstimate> estimates) {
    for (std::size_t row = 0; row < queries.size(); ++row) fill_row(queries[row], row, estimates[row]);
    for (std::size_t m = 0; m < network_.members.size(); ++m) run_member(m, estimates);
    const float share = 1.0F / static_cast<float>(network_.members.size());
    for (std::size_t row = 0; row < queries.size(); ++row) {
      TimeEstimate& estimate = estimates[row];
      estimate.log_ms *= share;
      estimate.log_work_ms *= share;
      estimate.log_half_width = log_half_width(queries[row].pass, estimate.log_ms);
    }
  }

 private:
  // Adds to the sums of the members' logarithms.
  void run_member(std::size_t m, std::span<TimeEstimate> estimates) {
    const Mlp& member = network_.members[m];
    const float* values = inputs_.data();
    for (std::size_t i = 0; i < member.size(); ++i) {
      const DenseLayer& layer = member[i];
      const float* bias = i == 0 ? first_bias_[m].data() : layer.bias.data();
      const int inputs = i == 0 ? static_cast<int>(own_features_) : layer.inputs;
      kernel_.dense({layer.weights.data(), layer.inputs}, bias, inputs, layer.outputs, i + 1 < member.size(),
                    values, next_.data());
      std::swap(current_, next_);
      values = current_.data();
    }
    float log_ms[kBlockRows];
    float log_work_ms[kBlockRows];
    const int terms = static_cast<int>(family_->terms.size());
    kernel_.log_sum_exp(current_.data(), terms_.data(), terms, log_ms);
    kernel_.log_sum_exp(current_.data() + kBlockRows, terms_.data() + kBlockRows, terms - 1, log_work_ms);
    for (std::size_t row = 0; row < estimates.size(); ++row) {
      estimates[row].log_ms += log_ms[row];
      estimates[row].log_work_ms += log_work_ms[row];
    }
  }

  // Device and stack are the same for all rows: their share of the first layer goes into its bias.
  void fold_shared_features() {
    std::vector<float> shared =
        shared_features(conditions_, network_.device_view, network_.gpus, network_.stacks);
    for (std::size_t i = 0; i < shared.size(); ++i) {
      shared[i] = normalized(network_, own_features_ + i, shared[i]);
    }
    if (calibration_ != nullptr) set_device_inputs(network_, calibration_->device_inputs, shared);
    for (const Mlp& member : network_.members) {
      const DenseLayer& layer = member.front();
      std::vector<float>& bias = first_bias_.emplace_back(layer.bias);
      for (std::size_t o = 0; o < bias.size(); ++o) {
        const float* weights =
            layer.weights.data() + o * static_cast<std::size_t>(layer.inputs) + own_features_;
        bias[o] = std::inner_product(shared.begin(), shared.end(), weights, bias[o]);
      }
    }
  }

  void prepare_intervals() {
    if (network_.intervals.empty()) return;
    intervals_.fill(&network_.intervals.front());
    for (const IntervalTable& table : network_.intervals) {
      if (table.gpu != conditions_.device->key || table.stack != conditions_.stack) continue;
      intervals_.at(static_cast<std::size_t>(table.pass)) = &table;
    }
    const auto& gpus = network_.gpus;
    const bool known = std::find(gpus.begin(), gpus.end(), conditions_.device->key) != gpus.end();
    width_factor_ = calibration_ != nullptr ? calibration_->width_factor : known ? 1 : kUnknownDeviceFactor;
  }

  float log_half_width(Pass pass, float log_ms) const {
    const IntervalTable* table = intervals_[static_cast<std::size_t>(pass)];
    if (table == nullptr) return 0;
    return static_cast<float>(width_factor_ * half_width(*table, std::exp(static_cast<double>(log_ms))));
  }

  void fill_row(const FeatureQuery& query, std::size_t row, TimeEstimate& estimate) {
    family_->fill(query, device_, row_features_.data(), row_terms_.data());
    // In two loops: the first is one for vector instructions.
    float* features = row_features_.data();
    const float* low = network_.low.data();
    const float* high = network_.high.data();
    const float* mean = network_.mean.data();
    const float* inverse_scale = inverse_scale_.data();
    unsigned outside = 0;
    for (std::size_t f = 0; f < own_features_; ++f) {
      outside |= static_cast<unsigned>(features[f] < low[f]) | static_cast<unsigned>(features[f] > high[f]);
      const float x = (features[f] - mean[f]) * inverse_scale[f];
      features[f] = std::min(std::max(x, -kFeatureLimit), kFeatureLimit);
    }
    for (std::size_t f = 0; f < own_features_; ++f) inputs_[f * kBlockRows + row] = row_features_[f];
    for (std::size_t k = 0; k < row_terms_.size(); ++k) {
      terms_[k * kBlockRows + row] = row_terms_[k] + log_factors_[k];
    }
    estimate = {};
    estimate.inside_trained_range = outside == 0;
    estimate.log_sheet_ms = *std::max_element(row_terms_.begin() + 1, row_terms_.end());
  }

  const TrainedNetwork& network_;
  const Conditions& conditions_;
  DeviceNumbers device_;
  const FeatureFamily* family_;
  const DenseKernel& kernel_;
  const TrainedNetwork::Calibration* calibration_ = nullptr;
  std::array<const IntervalTable*, kPasses> intervals_{};
  double width_factor_ = 1;
  std::size_t own_features_ = 0;
  std::vector<float> inputs_;   // [feature][row of the block]
  std::vector<float> current_;  // [output of a layer][row of the block]
  std::vector<float> next_;
  std::vector<float> terms_;
  std::vector<float> row_features_;
  std::vector<float> inverse_scale_;
  std::vector<float> row_terms_;
  std::vector<float> log_factors_;              // of the terms, for the device
  std::vector<std::vector<float>> first_bias_;  // of each member, for these conditions
};

}  // namespace

double half_width(const IntervalTable& table, double predicted_ms) {
  const auto bucket =
      std::lower_bound(table.upper_ms.begin(), table.upper_ms.end(), predicted_ms) - table.upper_ms.begin();
  return table.half_width.at(static_cast<std::size_t>(bucket));
}

std::vector<float> device_inputs(const TrainedNetwork& network, const Conditions& conditions) {
  const FeatureFamily* family = find_feature_family(network.family);
  if (family == nullptr) throw internal_error("no feature family '" + network.family + "'");
  const std::vector<float> shared =
      shared_features(conditions, network.device_view, network.gpus, network.stacks);
  std::vector<float> inputs;
  const auto add = [&](std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i) {
      inputs.push_back(normalized(network, family->features.size() + i, shared[i]));
    }
  };
  add(0, identity_feature_count());
  add(device_feature_specs().size(), network.gpus.size());
  return inputs;
}

std::vector<float> machine_factors(const Conditions& conditions, std::span<const Machine> machines) {
  std::vector<float> factors = device_factors(*conditions.device, conditions.precision);
  for (const Machine& machine : machines)
    factors.push_back(machine.gpu == conditions.device->key && machine.stack == conditions.stack ? 1.0F
                                                                                                 : 0.0F);
  return factors;
}

std::vector<float> term_log_factors(const TrainedNetwork& network, const Conditions& conditions) {
  const FeatureFamily* family = find_feature_family(network.family);
  if (family == nullptr) throw internal_error("no feature family '" + network.family + "'");
  std::vector<float> log_factors(family->terms.size(), 0.0F);
  if (network.factor_weights.empty()) return log_factors;
  const std::vector<float> factors = machine_factors(conditions, network.machines);
  for (std::size_t k = 0; k < log_factors.size(); ++k) {
    log_factors[k] = std::inner_product(factors.begin(), factors.end(),
                                        network.factor_weights.data() + k * factors.size(), 0.0F);
  }
  return log_factors;
}

void evaluate(const TrainedNetwork& network, std::span<const FeatureQuery> queries,
              const Conditions& conditions, std::span<TimeEstimate> estimates) {
  Evaluation evaluation(network, conditions);
  for (std::size_t first = 0; first < queries.size(); first += kBlockRows) {
    const std::size_t count = std::min<std::size_t>(kBlockRows, queries.size() - first);
    evaluation.run_block(queries.subspan(first, count), estimates.subspan(first, count));
  }
}

}  // namespace layersim
