#pragma once
// The search for a period in one signal.

#include <optional>
#include <vector>

#include "sim/methods/telemetry/signal.h"

namespace layersim {

struct Period {
  double length = 0;        // values of the signal
  double strength = 0;      // autocorrelation at it
  double significance = 0;  // over what noise reaches, in standard deviations
  double support = 0;       // of its multiples, relative to its own
};

// By autocorrelation, with outliers limited as little as the period allows; by folding where that finds
// nothing sure.
[[nodiscard]] std::optional<Period> search_period(const Signal& signal);
// The strongest with outliers limited narrowly: what repeats in the many small values.
[[nodiscard]] std::optional<Period> search_small_period(const Signal& signal);

// Mean of the values at each of `bins` phases of the period.
[[nodiscard]] std::vector<double> folded(const Signal& signal, double limit, double length, std::size_t bins);

}  // namespace layersim
