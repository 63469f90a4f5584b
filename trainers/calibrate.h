#pragma once
// Adapts a predictor to a device of which a few rows were measured, each of its networks that has rows by
// those (virtual_device.h), and tells how much that helps: each row is predicted once more by a fit without
// it.

#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "sim/predictors/predictor_file.h"
#include "trainers/dataset.h"

namespace layersim {

inline constexpr std::size_t kLeastCalibrationRows = 5;

// Of the rows of one network.
struct CalibrationResult {
  std::string network;           // "conv@tf"
  std::set<std::string> stacks;  // as which the rows were taken: those of the network that are nearest
  std::size_t rows = 0;
  bool adapted = false;    // there were at least kLeastCalibrationRows
  double mape_before = 0;  // 0.05 is 5 %
  double mape_after = 0;   // of rows left out of the fit that predicts them; as before where not adapted
};

// Predictions for the samples by networks that are fitted to the others: up to ten rows are left out one by
// one, more of them in ten parts. result[i] is for samples[i].
[[nodiscard]] std::vector<TimeEstimate> cross_calibrated(const TrainedNetwork& network, const SampleSet& set,
                                                         std::span<const std::size_t> samples);

// `samples`, indices into the set, are of one device. Adds a calibration for it to each network that rows
// choose, in the place of one that was there, and what is known of the device by it. Networks without rows
// stay as they are. Throws bad_use when the predictor has no network for a row.
[[nodiscard]] std::vector<CalibrationResult> calibrate(PredictorFile& predictor, SampleSet set,
                                                       std::span<const std::size_t> samples);

}  // namespace layersim
