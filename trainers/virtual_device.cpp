#include "trainers/virtual_device.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "hwdb/device_db.h"
#include "trainers/sample_prediction.h"

namespace layersim {
namespace {

// Inverse variances of the priors, in units of the variance of a row's log(time).
constexpr double kPriorOfOffset = 0.02;
constexpr double kPriorOfTerm = 0.3;
constexpr double kPriorOfBlend = 0.03;
// Rows that miss by more than this count less (Huber weights).
constexpr double kRobustLimit = 0.08;
constexpr int kIterations = 8;
constexpr double kDifference = 1e-2;  // of a parameter, for the derivatives
constexpr double kLongestStep = 0.5;

using Vector = std::vector<double>;

// The network with parameters (c, d_k, a_j).
class VirtualDevice {
 public:
  VirtualDevice(const TrainedNetwork& network, const SampleSet& set, std::span<const std::size_t> samples)
      : set_(set), samples_(samples), trial_(network) {
    terms_ = find_feature_family(network.family)->terms.size();
    const Device& device = set.devices[static_cast<std::size_t>(set.samples[samples.front()].device)];
    own_ = device_inputs(network, {.device = &device});
    const DeviceDb devices;
    Vector mean(own_.size(), 0.0);
    for (const std::string& gpu : network.gpus) {
      const Device known = gpu == device.key ? device : devices.find(gpu);
      const std::vector<float> inputs = device_inputs(network, {.device = &known});
      Vector& row = known_.emplace_back(inputs.begin(), inputs.end());
      for (std::size_t i = 0; i < row.size(); ++i) {
        mean[i] += row[i] / static_cast<double>(network.gpus.size());
      }
    }
    for (Vector& row : known_) {
      for (std::size_t i = 0; i < row.size(); ++i) row[i] -= mean[i];
    }
    trial_.calibrations.assign(1, {.gpu = device.key, .log_factors = {}, .device_inputs = {}});
  }

  [[nodiscard]] std::size_t parameters() const { return 1 + terms_ + known_.size(); }
  [[nodiscard]] double prior(std::size_t parameter) const {
    return parameter == 0 ? kPriorOfOffset : parameter <= terms_ ? kPriorOfTerm : kPriorOfBlend;
  }

  // log(predicted) of the samples.
  [[nodiscard]] Vector log_times(const Vector& parameters) {
    set_parameters(parameters);
    Vector result;
    for (const TimeEstimate& estimate : predict_samples(trial_, set_, samples_)) {
      result.push_back(static_cast<double>(estimate.log_ms));
    }
    return result;
  }

  [[nodiscard]] TrainedNetwork::Calibration calibration(const Vector& parameters) {
    set_parameters(parameters);
    return trial_.calibrations.front();
  }

 private:
  void set_parameters(const Vector& parameters) {
    TrainedNetwork::Calibration& calibration = trial_.calibrations.front();
    calibration.log_factors.clear();
    for (std::size_t k = 0; k < terms_; ++k) {
      calibration.log_factors.push_back(parameters[0] + parameters[1 + k]);
    }
    Vector inputs(own_.begin(), own_.end());
    for (std::size_t j = 0; j < known_.size(); ++j) {
      const double weight = parameters[1 + terms_ + j];
      for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i] += weight * known_[j][i];
    }
    calibration.device_inputs.assign(inputs.begin(), inputs.end());
  }

  const SampleSet& set_;
  std::span<const std::size_t> samples_;
  TrainedNetwork trial_;
  std::size_t terms_ = 0;
  std::vector<float> own_;
  std::vector<Vector> known_;  // less their mean
};

// Solves A x = b for a symmetric, positive definite A, row by row, by Cholesky's decomposition.
Vector solve(std::vector<Vector> a, Vector b) {
  const std::size_t n = b.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = a[i][j];
      for (std::size_t k = 0; k < j; ++k) sum -= a[i][k] * a[j][k];
      a[i][j] = i == j ? std::sqrt(sum) : sum / a[j][j];
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= a[i][k] * b[k];
    b[i] /= a[i][i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= a[k][i] * b[k];
    b[i] /= a[i][i];
  }
  return b;
}

// One step of Gauss and Newton towards the most probable parameters.
Vector next_parameters(VirtualDevice& device, Vector parameters, const Vector& log_measured) {
  const std::size_t count = parameters.size();
  const Vector predicted = device.log_times(parameters);
  std::vector<Vector> slopes;  // [parameter][row]
  for (std::size_t p = 0; p < count; ++p) {
    Vector moved = parameters;
    moved[p] += kDifference;
    Vector slope = device.log_times(moved);
    for (std::size_t row = 0; row < slope.size(); ++row) {
      slope[row] = (slope[row] - predicted[row]) / kDifference;
    }
    slopes.push_back(std::move(slope));
  }
  std::vector<Vector> curvature(count, Vector(count, 0.0));
  Vector pull(count, 0.0);
  for (std::size_t row = 0; row < predicted.size(); ++row) {
    const double residual = log_measured[row] - predicted[row];
    const double weight = 1 / std::max(1.0, std::abs(residual) / kRobustLimit);
    for (std::size_t p = 0; p < count; ++p) {
      pull[p] += weight * slopes[p][row] * residual;
      for (std::size_t q = 0; q < count; ++q) curvature[p][q] += weight * slopes[p][row] * slopes[q][row];
    }
  }
  for (std::size_t p = 0; p < count; ++p) {
    curvature[p][p] += device.prior(p);
    pull[p] -= device.prior(p) * parameters[p];
  }
  const Vector step = solve(std::move(curvature), std::move(pull));
  for (std::size_t p = 0; p < count; ++p) parameters[p] += std::clamp(step[p], -kLongestStep, kLongestStep);
  return parameters;
}

}  // namespace

TrainedNetwork::Calibration fit_calibration(const TrainedNetwork& network, const SampleSet& set,
                                            std::span<const std::size_t> samples) {
  VirtualDevice device(network, set, samples);
  Vector log_measured;
  for (const std::size_t i : samples) log_measured.push_back(std::log(set.samples[i].time_ms));
  Vector parameters(device.parameters(), 0.0);
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    parameters = next_parameters(device, std::move(parameters), log_measured);
  }
  return device.calibration(parameters);
}

}  // namespace layersim
