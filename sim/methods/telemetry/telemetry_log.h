#pragma once
// Logs of device metrics taken while training: `nvidia-smi --query-gpu=... --format=csv -lms N` in all its
// forms (units in the cells or not, with or without header units, several GPUs interleaved with or without an
// index, UTF-16, quoted names with line ends), and the columns of `dcgmi dmon`.

#include <string>
#include <vector>

namespace layersim {

struct MetricSeries {
  std::string metric;          // canonical: "power_w", "utilization_pct", "memory_utilization_pct",
                               // "memory_used_mib", "sm_clock_mhz"
  std::vector<double> values;  // parallel to TelemetryLog::times_s; NaN where a cell has no number
};

struct TelemetryLog {
  std::string format;           // "nvidia-smi" or "dcgmi dmon"
  int gpus = 1;                 // that it has lines of; their values are averaged
  std::vector<double> times_s;  // since the first line, rising
  std::vector<MetricSeries> metrics;
  std::vector<std::string> warnings;
};

// Throws bad_input, one line naming the file (and the line), for what is no such log.
[[nodiscard]] TelemetryLog read_telemetry_log(const std::string& file);

}  // namespace layersim
