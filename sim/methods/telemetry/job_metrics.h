#pragma once
// What a training job looked like from outside: statistics of the device's metrics while it ran, how long an
// epoch took, and what whoever started it knows. Never how many samples were taken: that tells the length of
// the run.

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "hwdb/device.h"
#include "sim/methods/telemetry/find_epochs.h"

namespace layersim {

inline constexpr std::array<std::string_view, 4> kJobMetrics{"clocks_current_sm_mhz", "power_draw_w",
                                                             "utilization_gpu_pct", "utilization_memory_pct"};
inline constexpr std::array<std::string_view, 5> kJobStatistics{"mean", "std", "p25", "p50", "p75"};
inline constexpr std::size_t kJobNumbers = kJobMetrics.size() * kJobStatistics.size();

struct JobMetrics {
  std::string gpu;
  std::string network;  // for leaving networks out; no feature
  double batch = 0;
  double pixel = 0;         // to match jobs on several devices; no feature
  double dataset_size = 0;  // images in an epoch
  double epoch_s = 0;
  std::array<double, kJobNumbers> numbers{};  // statistics of the first metric, then of the next
};

// Rows of a CSV (gzip too) with the columns `<metric>_<statistic>`, gpu, model, batch, dataset_size, epoch_s
// and perhaps pixel. Throws bad_input, naming file and row or column.
[[nodiscard]] std::vector<JobMetrics> read_job_metrics(const std::string& file);

// Of a log: its part at work, with the epoch that was found in it. Throws bad_input for a log without one of
// the metrics, nothing_predicted for one without a period.
[[nodiscard]] JobMetrics job_of_log(const TelemetryLog& log, const EpochsFound& epochs);

// What the regressors read: metrics relative to the anchor's sheet, time of an image and of a batch there,
// and the sheets of both devices.
[[nodiscard]] std::vector<float> telemetry_features(const JobMetrics& job, const Device& anchor,
                                                    const Device& target);
// Of those that tell of the job, which come first: "power_draw_w mean", "time of a batch".
[[nodiscard]] std::vector<std::string> job_feature_names();

}  // namespace layersim
