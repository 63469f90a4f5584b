#include "sim/methods/telemetry/job_metrics.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "hwdb/device_keys.h"
#include "sim/core/error.h"
#include "sim/methods/telemetry/signal.h"
#include "sim/store/csv_reader.h"

namespace layersim {
namespace {

// The metric of a log behind each of kJobMetrics.
constexpr std::array<std::string_view, kJobMetrics.size()> kLogMetrics{
    "sm_clock_mhz", "power_w", "utilization_pct", "memory_utilization_pct"};

std::size_t column_of(const std::vector<std::string>& header, const std::string& name) {
  const auto found = std::find(header.begin(), header.end(), name);
  if (found == header.end()) throw bad_input("has no column '" + name + "'");
  return static_cast<std::size_t>(found - header.begin());
}

double number_of(std::string_view field, const std::string& place) {
  double value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc{} || end != field.data() + field.size() || !std::isfinite(value))
    throw bad_input(place + ": '" + std::string(field) + "' is no number");
  return value;
}

std::vector<JobMetrics> read_rows(const std::string& file) {
  CsvReader reader(file);
  const auto& header = reader.header();
  std::vector<std::size_t> columns;
  for (const std::string_view metric : kJobMetrics) {
    for (const std::string_view statistic : kJobStatistics)
      columns.push_back(column_of(header, std::string(metric) + '_' + std::string(statistic)));
  }
  const std::size_t gpu = column_of(header, "gpu");
  const std::size_t network = column_of(header, "model");
  const std::size_t batch = column_of(header, "batch");
  const std::size_t dataset_size = column_of(header, "dataset_size");
  const std::size_t epoch = column_of(header, "epoch_s");
  const auto pixel = std::find(header.begin(), header.end(), "pixel");
  const auto n_gpus = std::find(header.begin(), header.end(), "n_gpus");
  std::vector<JobMetrics> jobs;
  DeviceKeys gpus;
  while (reader.next()) {
    const auto& fields = reader.fields();
    const auto number = [&](std::size_t column) {
      return number_of(fields[column],
                       "line " + std::to_string(reader.line()) + ", '" + header[column] + "'");
    };
    const auto positive = [&](std::size_t column) {
      const double value = number(column);
      if (!(value > 0)) {
        throw bad_input("line " + std::to_string(reader.line()) + ", '" + header[column] +
                        "': must be above 0");
      }
      return value;
    };
    JobMetrics job;
    job.gpu = with_context("line " + std::to_string(reader.line()) + ", 'gpu'",
                           [&] { return gpus.find(fields[gpu]); });
    job.network = fields[network];
    if (n_gpus != header.end() && positive(static_cast<std::size_t>(n_gpus - header.begin())) != 1)
      throw bad_input("line " + std::to_string(reader.line()) + ", 'n_gpus': a job is of one device");
    job.batch = positive(batch);
    job.dataset_size = positive(dataset_size);
    job.epoch_s = positive(epoch);
    if (pixel != header.end()) job.pixel = number(static_cast<std::size_t>(pixel - header.begin()));
    for (std::size_t i = 0; i < columns.size(); ++i) job.numbers[i] = number(columns[i]);
    jobs.push_back(std::move(job));
  }
  if (jobs.empty()) throw bad_input("has no rows");
  return jobs;
}

}  // namespace

std::vector<JobMetrics> read_job_metrics(const std::string& file) {
  return with_context(file, [&] { return read_rows(file); });
}

JobMetrics job_of_log(const TelemetryLog& log, const EpochsFound& epochs) {
  if (!epochs.period_s)
    throw Error(ErrorKind::nothing_predicted, "no epochs were found in it: --epoch-s tells their length");
  JobMetrics job;
  job.epoch_s = *epochs.period_s;
  for (std::size_t m = 0; m < kJobMetrics.size(); ++m) {
    const auto series = std::find_if(log.metrics.begin(), log.metrics.end(),
                                     [&](const MetricSeries& one) { return one.metric == kLogMetrics[m]; });
    if (series == log.metrics.end()) {
      throw bad_input("has no column of " + std::string(kLogMetrics[m]) +
                      ": predicting needs clocks.sm, power.draw, utilization.gpu and utilization.memory");
    }
    std::vector<double> values;
    for (std::size_t i = 0; i < log.times_s.size(); ++i) {
      const bool at_work = log.times_s[i] >= epochs.active_begin_s && log.times_s[i] <= epochs.active_end_s;
      if (at_work && !std::isnan(series->values[i])) values.push_back(series->values[i]);
    }
    if (values.empty()) throw bad_input("has no numbers of " + series->metric);
    const auto count = static_cast<double>(values.size());
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
    double squares = 0;
    for (const double value : values) squares += (value - mean) * (value - mean);
    const std::array<double, kJobStatistics.size()> statistics{
        mean, std::sqrt(squares / count), quantile_of(values, 0.25), quantile_of(values, 0.5),
        quantile_of(values, 0.75)};
    std::copy(statistics.begin(), statistics.end(),
              job.numbers.begin() + static_cast<std::ptrdiff_t>(m * statistics.size()));
  }
  return job;
}

std::vector<std::string> job_feature_names() {
  std::vector<std::string> names;
  for (const std::string_view metric : kJobMetrics) {
    for (const std::string_view statistic : kJobStatistics)
      names.push_back(std::string(metric) + ' ' + std::string(statistic));
  }
  names.insert(names.end(), {"time of a sample", "time of a batch", "batch", "data set size"});
  return names;
}

std::vector<float> telemetry_features(const JobMetrics& job, const Device& anchor, const Device& target) {
  const double clock_mhz = anchor.clock_boost_mhz.value_or(anchor.clock_peak_mhz);
  const std::array<double, kJobMetrics.size()> scales{clock_mhz, anchor.tdp_w, 100, 100};
  std::vector<float> features;
  const auto add = [&](double value) { features.push_back(static_cast<float>(value)); };
  for (std::size_t i = 0; i < kJobNumbers; ++i) add(job.numbers[i] / scales[i / kJobStatistics.size()]);
  add(std::log(job.epoch_s / job.dataset_size));
  add(std::log(job.epoch_s / job.dataset_size * job.batch));
  add(std::log(job.batch));
  add(std::log(job.dataset_size));
  for (const Device* device : {&anchor, &target}) {
    add(std::log(device->peak_fp32_gflops));
    add(std::log(device->memory_bandwidth_gb_s));
    add(device->clock_boost_mhz.value_or(device->clock_peak_mhz) / 1000);
    add(std::log(device->multiprocessors));
  }
  add(std::log(target.peak_fp32_gflops / anchor.peak_fp32_gflops));
  add(std::log(target.memory_bandwidth_gb_s / anchor.memory_bandwidth_gb_s));
  return features;
}

}  // namespace layersim
