#pragma once
// What the readers of the forms of logs leave: one entry for each line of a GPU. Errors do not name the file.

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "sim/methods/telemetry/telemetry_log.h"

namespace layersim {

inline constexpr std::array<std::string_view, 5> kMetrics{
    "power_w", "utilization_pct", "memory_utilization_pct", "memory_used_mib", "sm_clock_mhz"};

struct LogLine {
  double time_s = 0;
  std::string gpu;                               // index, id or name; empty: not told
  std::array<double, kMetrics.size()> values{};  // NaN: not told
};

[[nodiscard]] std::vector<LogLine> read_nvidia_smi(std::string_view text, std::vector<std::string>& warnings);
// Without times: `interval_s` apart, 1 s as dcgmi does by default.
[[nodiscard]] std::vector<LogLine> read_dcgmi_dmon(std::string_view text, std::vector<std::string>& warnings);

}  // namespace layersim
