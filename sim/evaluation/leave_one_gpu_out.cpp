#include "sim/evaluation/leave_one_gpu_out.h"

#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <set>

#include "sim/core/error.h"
#include "sim/evaluation/row_prediction.h"
#include "trainers/calibrate.h"

namespace layersim {
namespace {

// Chosen on the published convolutions: shorter training with larger steps carries over to a device that was
// not seen better than that which is best for the known ones, and two networks better than one.
constexpr int kBatchRows = 1024;
constexpr double kLearningRate = 4e-3;
constexpr int kMembers = 2;

bool is_asked_for(const Sample& sample, const std::vector<std::string>& kinds) {
  const auto has = [&](std::string_view name) {
    return std::find(kinds.begin(), kinds.end(), name) != kinds.end();
  };
  return kinds.empty() || has(sample.problem.kind->name) || has(sample.family->name);
}

// The set with these samples alone.
SampleSet selected(const SampleSet& set, const std::vector<std::size_t>& samples) {
  SampleSet result{set.devices, set.stacks, {}, {}};
  for (const std::size_t i : samples) result.samples.push_back(set.samples[i]);
  return result;
}

ErrorMeasures measure(const PredictorFile& predictor, const SampleSet& set,
                      const std::vector<std::size_t>& samples) {
  std::vector<double> measured;
  std::vector<double> predicted;
  std::vector<Interval> intervals;
  for (const RowPrediction& prediction : predict_rows(predictor, set, samples)) {
    measured.push_back(set.samples[samples[measured.size()]].time_ms);
    predicted.push_back(prediction.time_ms);
    intervals.push_back(prediction.interval_ms);
  }
  return measure_errors(measured, predicted, intervals);
}

void calibrate_and_measure(const PredictorFile& predictor, const SampleSet& set,
                           const std::vector<std::size_t>& samples, const LeaveOneGpuOutOptions& options,
                           LeftOutGpu& result) {
  std::vector<std::size_t> order = samples;
  std::mt19937_64 random(options.seed);
  for (int draw = 0; draw < kCalibrationDraws; ++draw) {
    std::shuffle(order.begin(), order.end(), random);
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(options.calibration_rows);
    const SampleSet drawn = selected(set, {order.begin(), end});
    std::vector<std::size_t> all(drawn.samples.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    PredictorFile adapted = predictor;
    static_cast<void>(calibrate(adapted, drawn, all));
    const ErrorMeasures errors = measure(adapted, set, {end, order.end()});
    result.calibrated_mape += errors.mape / kCalibrationDraws;
    result.calibrated_rmse_ms += errors.rmse_ms / kCalibrationDraws;
    result.calibrated_coverage90 += errors.coverage90 / kCalibrationDraws;
  }
}

}  // namespace

std::vector<LeftOutGpu> leave_one_gpu_out(const SampleSet& set, const Trainer& trainer,
                                          const LeaveOneGpuOutOptions& options, const TrainReport& report) {
  std::map<std::string, std::map<std::string, std::vector<std::size_t>>> rows;  // by family and GPU
  for (std::size_t i = 0; i < set.samples.size(); ++i) {
    const Sample& sample = set.samples[i];
    if (!is_asked_for(sample, options.kinds)) continue;
    rows[std::string(sample.family->name)][set.devices[static_cast<std::size_t>(sample.device)].key]
        .push_back(i);
  }
  TrainSettings settings;
  settings.seed = options.seed;
  settings.test_share = 0;
  settings.epochs = options.epochs;
  settings.batch_rows = kBatchRows;
  settings.learning_rate = kLearningRate;
  settings.members = kMembers;

  std::vector<LeftOutGpu> results;
  for (const auto& [family, by_gpu] : rows) {
    if (by_gpu.size() < 2) continue;
    for (const auto& [gpu, samples] : by_gpu) {
      std::vector<std::size_t> others;
      for (const auto& [other, other_samples] : by_gpu) {
        if (other != gpu) others.insert(others.end(), other_samples.begin(), other_samples.end());
      }
      PredictorFile predictor;
      const std::string what = "without " + gpu;
      with_context(what, [&] {
        predictor.networks =
            train_networks(selected(set, others), trainer, settings,
                           [&](const std::string& network, const TrainingProgress& progress) {
                             report(std::string(what).append(", ").append(network), progress);
                           })
                .networks;
      });
      constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
      LeftOutGpu result{family, gpu, measure(predictor, set, samples), kNone, kNone, kNone};
      if (options.calibration_rows > 0 && samples.size() > options.calibration_rows) {
        result.calibrated_mape = result.calibrated_rmse_ms = result.calibrated_coverage90 = 0;
        calibrate_and_measure(predictor, set, samples, options, result);
      }
      results.push_back(std::move(result));
    }
  }
  if (results.empty())
    throw bad_use("--leave-one-gpu-out needs rows of one kind of layer from two devices or more");
  return results;
}

}  // namespace layersim
