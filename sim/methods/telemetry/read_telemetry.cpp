// Which form a log has, and its lines of several GPUs as one series for each metric.

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "sim/core/error.h"
#include "sim/methods/common/text_input.h"
#include "sim/methods/telemetry/log_lines.h"

namespace layersim {
namespace {

constexpr std::size_t kLeastSamples = 8;

struct Sample {
  double time_s = 0;
  std::array<double, kMetrics.size()> sums{};
  std::array<int, kMetrics.size()> counts{};
};

void add(Sample& sample, const LogLine& line) {
  for (std::size_t m = 0; m < kMetrics.size(); ++m) {
    if (std::isnan(line.values[m])) continue;
    sample.sums[m] += line.values[m];
    ++sample.counts[m];
  }
}

// Lines of several GPUs without an index come in bursts: within one they are much closer in time than bursts
// are apart.
int lines_a_burst(const std::vector<LogLine>& lines) {
  std::vector<double> gaps;
  for (std::size_t i = 1; i < lines.size(); ++i)
    gaps.push_back(std::fabs(lines[i].time_s - lines[i - 1].time_s));
  std::vector<double> sorted(gaps);
  std::sort(sorted.begin(), sorted.end());
  const double wide = sorted[sorted.size() * 19 / 20];
  const double limit = wide / 5;
  const auto close =
      static_cast<double>(std::count_if(gaps.begin(), gaps.end(), [&](double gap) { return gap < limit; }));
  const auto bursts = static_cast<double>(gaps.size()) - close + 1;
  return std::max(1, static_cast<int>(std::lround(static_cast<double>(lines.size()) / bursts)));
}

// One sample for all GPUs at a time.
std::vector<Sample> merge_gpus(const std::vector<LogLine>& lines, int& gpus) {
  std::set<std::string> names;
  for (const LogLine& line : lines) names.insert(line.gpu);
  const bool has_names = names.size() > 1;
  gpus = has_names ? static_cast<int>(names.size()) : lines_a_burst(lines);
  std::vector<Sample> samples;
  std::set<std::string> present;
  int in_burst = 0;
  double burst_s = -std::numeric_limits<double>::infinity();
  for (const LogLine& line : lines) {
    const bool same =
        has_names ? present.count(line.gpu) == 0 && !samples.empty() : in_burst < gpus && !samples.empty();
    if (!same || line.time_s < burst_s) {
      samples.push_back({line.time_s, {}, {}});
      present.clear();
      in_burst = 0;
      burst_s = line.time_s;
    }
    present.insert(line.gpu);
    ++in_burst;
    add(samples.back(), line);
  }
  return samples;
}

// Of samples as they stand in the log.
void check_times(const std::vector<Sample>& samples, std::vector<std::string>& warnings) {
  std::size_t equal = 0;
  std::size_t backward = 0;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    equal += samples[i].time_s == samples[i - 1].time_s ? 1 : 0;
    backward += samples[i].time_s < samples[i - 1].time_s ? 1 : 0;
  }
  if (equal + 1 == samples.size()) throw bad_input("all readings have the same time");
  if (equal > 0) warnings.push_back(std::to_string(equal) + " readings have the time of the one before");
  if (backward > 0)
    warnings.push_back("the time runs backward " + std::to_string(backward) +
                       " times: the readings were put in the order of their times");
}

TelemetryLog make_log(const std::vector<LogLine>& lines, TelemetryLog log) {
  if (lines.size() < kLeastSamples)
    throw bad_input("has " + std::to_string(lines.size()) + " readings: too few to find epochs in");
  std::vector<Sample> samples = merge_gpus(lines, log.gpus);
  check_times(samples, log.warnings);
  std::stable_sort(samples.begin(), samples.end(),
                   [](const Sample& a, const Sample& b) { return a.time_s < b.time_s; });
  for (const Sample& sample : samples) log.times_s.push_back(sample.time_s - samples.front().time_s);
  for (std::size_t m = 0; m < kMetrics.size(); ++m) {
    MetricSeries series{std::string(kMetrics[m]), {}};
    bool any = false;
    for (const Sample& sample : samples) {
      const bool known = sample.counts[m] > 0;
      any = any || known;
      series.values.push_back(known ? sample.sums[m] / sample.counts[m]
                                    : std::numeric_limits<double>::quiet_NaN());
    }
    if (any) log.metrics.push_back(std::move(series));
  }
  if (log.metrics.empty()) throw bad_input("has no numbers");
  if (log.gpus > 1) log.warnings.push_back("lines of " + std::to_string(log.gpus) + " GPUs, averaged");
  return log;
}

TelemetryLog read_any(const std::string& file) {
  const std::string text = read_text_input(file);
  const std::string_view content = trimmed(text);
  TelemetryLog log;
  log.format = content.starts_with("#") ? "dcgmi dmon" : "nvidia-smi";
  const auto lines = content.starts_with("#") ? read_dcgmi_dmon(content, log.warnings)
                                              : read_nvidia_smi(content, log.warnings);
  return make_log(lines, std::move(log));
}

}  // namespace

TelemetryLog read_telemetry_log(const std::string& file) {
  return with_context(file, [&] { return read_any(file); });
}

}  // namespace layersim
