#pragma once
// How far predicted times lie from measured ones.

#include <cstddef>
#include <span>

#include "sim/predictors/predictor.h"

namespace layersim {

// Over n pairs. NaN where a measure is not defined: all without pairs, correlations of less than two
// different times, coverage without intervals.
struct ErrorMeasures {
  std::size_t n = 0;
  double mape = 0;  // mean of |predicted - measured| / measured; 0.05 is 5 %
  double median_ape = 0;
  double rmse_ms = 0;
  double pearson = 0;     // correlation of the times
  double spearman = 0;    // correlation of their ranks; equal times share the mean of their ranks
  double coverage90 = 0;  // share of measured times inside the 90 % interval
};

// `intervals_ms` is empty or as long as the others. Pairs whose prediction is NaN do not count.
[[nodiscard]] ErrorMeasures measure_errors(std::span<const double> measured_ms,
                                           std::span<const double> predicted_ms,
                                           std::span<const Interval> intervals_ms);

}  // namespace layersim
