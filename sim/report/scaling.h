#pragma once
// How a training step gets faster, or not, with the number of GPUs.

#include <cstdint>
#include <string>
#include <vector>

#include "sim/report/report.h"

namespace layersim {

struct ScalingPoint {
  int n_gpus = 1;
  int nodes = 1;
  std::int64_t batch = 1;  // over all GPUs
  double batch_ms = 0;
  double communication_ms = 0;  // of it
  double bubble_ms = 0;         // of it
  double samples_per_s = 0;
  double efficiency = 1;  // samples a second and GPU, as a share of those of the first point
  double epoch_s = 0;
  double memory_mib = 0;  // of one GPU
  bool fits = true;
  std::string interconnect;
};

struct ScalingCurve {
  std::string network;
  RunReport run;  // of the first point: device, conditions, method
  std::vector<ScalingPoint> points;
  std::vector<std::string> warnings;
};

// Adds the point of a report with a run.
void add_point(ScalingCurve& curve, const Report& report);

[[nodiscard]] std::string scaling_table(const ScalingCurve& curve, std::size_t width);
[[nodiscard]] std::string scaling_json(const ScalingCurve& curve);
[[nodiscard]] std::string scaling_csv(const ScalingCurve& curve);

}  // namespace layersim
