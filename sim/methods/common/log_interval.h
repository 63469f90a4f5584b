#pragma once
// Intervals as wide in logarithms on both sides: the errors of these methods are relative ones.

#include <algorithm>
#include <cmath>

#include "sim/predictors/predictor.h"

namespace layersim {

[[nodiscard]] inline Interval log_interval(double predicted, double half_width) {
  return {predicted * std::exp(-half_width), predicted * std::exp(half_width)};
}

// Of the 90 % interval for what was not learned from: as wide as the errors on what was left out of learning,
// `left_out_half_width`; where that is not known (0) from half to twice the time. Never narrower than for
// what was learned from.
[[nodiscard]] inline double unseen_half_width(double half_width, double left_out_half_width) {
  constexpr double kUnknown = 0.69;
  return std::max(half_width, left_out_half_width > 0 ? left_out_half_width : kUnknown);
}

}  // namespace layersim
