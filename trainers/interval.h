#pragma once
// 90 % intervals from residuals of rows kept out of training (split conformal prediction): the half-width of
// log(time) is the quantile of the absolute residuals, by device, stack, pass and size of the predicted time.

#include <span>
#include <vector>

#include "sim/predictors/trained_network.h"
#include "trainers/dataset.h"

namespace layersim {

// The size that nine tenths of further residuals do not exceed: of n sorted sizes, of which there is at least
// one, that of rank ceil(0.9 (n + 1)), or the last.
[[nodiscard]] double conformal_quantile(std::vector<double> sizes);

// `estimates` are those of the network for these samples. Without samples: none.
[[nodiscard]] std::vector<IntervalTable> make_intervals(const SampleSet& set,
                                                        std::span<const std::size_t> samples,
                                                        std::span<const TimeEstimate> estimates);

}  // namespace layersim
