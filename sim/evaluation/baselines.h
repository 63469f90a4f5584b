#pragma once
// What the predictor is held against on the same rows.

#include <span>
#include <vector>

#include "trainers/dataset.h"

namespace layersim {

// Of the pass of this sample, by the device sheet (roofline_time.h).
[[nodiscard]] double roofline_ms(const SampleSet& set, const Sample& sample);

// The baseline of Justus et al. 2018: time = a + b x FLOP by least squares, a line for each device, stack,
// precision, layer kind and pass. Cross-fitted: configurations are divided into kLinearFolds parts, and the
// rows of each are predicted by the line through the others. NaN in groups of less than kLeastLinearRows
// rows.
inline constexpr int kLinearFolds = 5;
inline constexpr std::size_t kLeastLinearRows = 20;
[[nodiscard]] std::vector<double> linear_ms(const SampleSet& set, std::span<const std::size_t> samples);

}  // namespace layersim
