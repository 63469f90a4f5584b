#pragma once
// What a predictor says about measured rows: for each row it asks the network that `predict` asks for such a
// layer on that device and stack. A row of a layer kind without a network gets the estimate that `predict`
// gives it; so does a pass that no rows of the stack were measured for.

#include <span>
#include <string>
#include <vector>

#include "sim/predictors/predictor.h"
#include "sim/predictors/predictor_file.h"
#include "trainers/dataset.h"

namespace layersim {

struct RowPrediction {
  double time_ms = 0;  // host's launch included, as single layers are measured
  Interval interval_ms;
  Basis basis = Basis::none;  // none: no network answers
  std::string network;        // that answers: "conv@tf"
  bool inside_trained_range = false;
};

// result[i] is for samples[i], an index into SampleSet::samples.
[[nodiscard]] std::vector<RowPrediction> predict_rows(const PredictorFile& predictor, const SampleSet& set,
                                                      std::span<const std::size_t> samples);

}  // namespace layersim
