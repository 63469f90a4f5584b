#include "sim/cli/calibration_rows.h"

#include <map>
#include <set>
#include <tuple>

#include "sim/core/error.h"
#include "sim/report/readable_text.h"
#include "sim/store/store_reader.h"

namespace layersim {
namespace {

// Repetitions of one measurement scatter by less.
constexpr double kMostRatioOfRepetitions = 2;

struct ReadRows {
  SampleSet set;
  std::vector<std::string> places;  // of each sample: "rows.csv: line 2"
};

void check_gpu(const Table& table, const Device& device) {
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::string_view gpu = table.text("gpu", row);
    if (gpu == device.key) continue;
    throw bad_input(table.place(row) + ": column 'gpu': '" + std::string(gpu) +
                    "' is not the device to adapt to, '" + device.key + "'");
  }
}

void add_table(ReadRows& rows, const std::string& file, const Table& table, Warnings& warnings) {
  const std::size_t left_out = add_samples(rows.set, table);
  for (std::size_t i = rows.places.size(); i < rows.set.samples.size(); ++i)
    rows.places.push_back(file + ": " + table.place(rows.set.samples[i].row));
  if (left_out == 0) return;
  warnings.add(file + ": " + std::to_string(left_out) + " of " + std::to_string(table.rows()) +
               " rows of kind '" + table.kind() + "' are of no layer that is predicted by training");
}

ReadRows read_rows(const Device& device, const std::vector<std::string>& files, Warnings& warnings) {
  ReadRows rows;
  rows.set.devices.push_back(device);
  for (const std::string& file : files) {
    with_context(file, [&] {
      for (const Table& table : read_tables(file, warnings)) {
        check_gpu(table, device);
        add_table(rows, file, table, warnings);
      }
    });
  }
  return rows;
}

// What one layer was measured as.
using LayerRun = std::tuple<std::uint64_t, std::int32_t, Pass, Precision>;

LayerRun layer_run(const Sample& sample) {
  return {sample.configuration, sample.stack, sample.pass, sample.precision};
}

std::vector<std::size_t> distinct_samples(const SampleSet& set, Warnings& warnings) {
  std::set<std::pair<LayerRun, double>> seen;
  std::vector<std::size_t> distinct;
  for (std::size_t i = 0; i < set.samples.size(); ++i) {
    const Sample& sample = set.samples[i];
    if (seen.emplace(layer_run(sample), sample.time_ms).second) distinct.push_back(i);
  }
  if (const std::size_t repeated = set.samples.size() - distinct.size(); repeated > 0) {
    warnings.add("left out: " + std::to_string(repeated) + (repeated == 1 ? " row" : " rows") +
                 " with the same layer and the same time as another");
  }
  return distinct;
}

void warn_of_contradictions(const ReadRows& rows, Warnings& warnings) {
  struct Extremes {
    std::size_t fastest, slowest;  // indices of samples
  };
  const std::vector<Sample>& samples = rows.set.samples;
  std::map<LayerRun, Extremes> runs;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    Extremes& run = runs.try_emplace(layer_run(samples[i]), Extremes{i, i}).first->second;
    if (samples[i].time_ms < samples[run.fastest].time_ms) run.fastest = i;
    if (samples[i].time_ms > samples[run.slowest].time_ms) run.slowest = i;
  }
  std::size_t count = 0;
  std::string first;
  for (const auto& [layer, run] : runs) {
    const double fastest_ms = samples[run.fastest].time_ms;
    const double slowest_ms = samples[run.slowest].time_ms;
    if (slowest_ms <= kMostRatioOfRepetitions * fastest_ms) continue;
    if (count++ > 0) continue;
    first = rows.places[run.fastest] + " has " + short_number(fastest_ms) + " ms, " +
            rows.places[run.slowest] + " has " + short_number(slowest_ms) + " ms for the same layer";
  }
  if (count > 1) first += "; " + std::to_string(count - 1) + " more layers have such rows";
  if (count > 0) warnings.add("rows contradict each other: " + first);
}

}  // namespace

CalibrationRows read_calibration_rows(const Device& device, const std::vector<std::string>& files,
                                      Warnings& warnings) {
  ReadRows rows = read_rows(device, files, warnings);
  warn_of_contradictions(rows, warnings);
  std::vector<std::size_t> distinct = distinct_samples(rows.set, warnings);
  return {std::move(rows.set), std::move(distinct)};
}

}  // namespace layersim
