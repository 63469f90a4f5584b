#pragma once
// The measured rows that `calibrate` adapts a predictor to.

#include <string>
#include <vector>

#include "sim/core/warnings.h"
#include "trainers/dataset.h"

namespace layersim {

struct CalibrationRows {
  SampleSet set;
  // Those to adapt to, indices into the set: of equal rows the first, since the others would be predicted by
  // a fit that knows them.
  std::vector<std::size_t> distinct;
};

// All rows of the files, which must be of this device. Warns of rows left out and of times of one layer that
// contradict each other. Throws bad_input naming the row.
[[nodiscard]] CalibrationRows read_calibration_rows(const Device& device,
                                                    const std::vector<std::string>& files,
                                                    Warnings& warnings);

}  // namespace layersim
