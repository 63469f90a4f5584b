#pragma once
// Training of a telemetry model on jobs that ran on several devices, and its error on jobs or networks left
// out.

#include <vector>

#include "sim/methods/common/error_table.h"
#include "sim/methods/telemetry/job_metrics.h"
#include "sim/methods/telemetry/telemetry_model.h"
#include "trainers/tree_trainer.h"

namespace layersim {

// A job on an anchor, and how much longer an epoch of it takes on the target.
struct TelemetrySample {
  std::string anchor;
  std::string target;
  std::string network;
  std::string job;  // network and sizes
  std::vector<float> features;
  double anchor_s = 0;
  double target_s = 0;

  [[nodiscard]] double log_factor() const;
};

// All pairs of rows of the same network, batch, image and data set sizes. Throws bad_input when there are
// none.
[[nodiscard]] std::vector<TelemetrySample> pair_jobs(const std::vector<JobMetrics>& jobs);

// Throws bad_input for samples of one job alone.
void check_trainable(const std::vector<TelemetrySample>& samples);
// Throws as check_trainable() does.
[[nodiscard]] TelemetryModel train_telemetry(const std::vector<TelemetrySample>& samples,
                                             const TreeTrainer& trees, std::uint64_t seed);

enum class TelemetryLeaveOut { job, network };
// Throws bad_input for samples of one job, or network, alone.
void check_left_out(const std::vector<TelemetrySample>& samples, TelemetryLeaveOut what);
// Each part predicted by a model of the others: every network, or each of five parts of the jobs. Keys
// anchor, target, network; baseline: the anchor's time with the usual ratio of the two devices.
[[nodiscard]] ErrorTable evaluate_telemetry_left_out(const std::vector<TelemetrySample>& samples,
                                                     TelemetryLeaveOut what, const TreeTrainer& trees,
                                                     std::uint64_t seed);
// By a trained model, which may have seen the jobs.
[[nodiscard]] ErrorTable evaluate_telemetry(const std::vector<TelemetrySample>& samples,
                                            const TelemetryModel& model);

}  // namespace layersim
