#pragma once
// Learning how times grow with batch and image size from workloads with three sizes or more.

#include "sim/methods/transfer/size_scaling.h"
#include "trainers/methods/transfer_samples.h"

namespace layersim {

// A workload's times, smallest size first.
struct SizeSeries {
  std::string gpu;
  std::string network;
  std::vector<SizedTime> times;  // at least 3, of different sizes
};
[[nodiscard]] std::vector<SizeSeries> size_series(const std::vector<TransferSet::TimedWorkload>& times,
                                                  SizeAxis axis);

// The curvature with the least sum of relative errors between the ends. Series of `gpu` without those of the
// network `left_out`; curvature 0 when there are none.
[[nodiscard]] SizeScaling fit_size_scaling(const std::vector<SizeSeries>& series, const std::string& gpu,
                                           SizeAxis axis, const std::string& left_out);

}  // namespace layersim
