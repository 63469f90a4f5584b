#pragma once
// How well a device is predicted of which nothing was measured: networks are trained on the rows of all other
// devices and asked about those of one, each device in turn; and how much a few measured rows of it help.

#include <cstdint>
#include <string>
#include <vector>

#include "sim/evaluation/error_measures.h"
#include "trainers/dataset.h"
#include "trainers/train.h"

namespace layersim {

struct LeaveOneGpuOutOptions {
  std::vector<std::string> kinds;    // layer kinds or feature families; empty: all
  std::size_t calibration_rows = 0;  // rows of the device to which the networks are adapted; 0: none
  std::uint64_t seed = 1;
  int epochs = 20;
};

struct LeftOutGpu {
  std::string family;  // of features: one network answers for its kinds
  std::string gpu;
  ErrorMeasures unseen;
  // Means over kCalibrationDraws draws of the rows to adapt to; of the rows that were not drawn. NaN without.
  double calibrated_mape = 0;
  double calibrated_rmse_ms = 0;
  double calibrated_coverage90 = 0;
};
inline constexpr int kCalibrationDraws = 5;

// Families in the order of their names, GPUs in that of theirs. Throws bad_use when no family has rows of two
// devices.
[[nodiscard]] std::vector<LeftOutGpu> leave_one_gpu_out(const SampleSet& set, const Trainer& trainer,
                                                        const LeaveOneGpuOutOptions& options,
                                                        const TrainReport& report);

[[nodiscard]] std::string left_out_as_text(const std::vector<LeftOutGpu>& gpus,
                                           const LeaveOneGpuOutOptions& options, std::size_t width);
[[nodiscard]] std::string left_out_as_json(const std::vector<LeftOutGpu>& gpus,
                                           const LeaveOneGpuOutOptions& options);

}  // namespace layersim
