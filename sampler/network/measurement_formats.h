#pragma once
// A measured network as text, as JSON, and as rows of the tables that `validate` reads.

#include <cstdint>
#include <string>

#include "sampler/network/measure_network.h"

namespace layersim {

// What a row needs beyond the measurement itself.
struct RunLabels {
  std::string network;     // as the table shall name it
  std::string gpu;         // key of the device; empty: not told
  std::int64_t batch = 1;  // samples
  std::string dim;         // as --dim and --input, several separated by ';'
  std::string input;
  std::string layer_times;  // file, as the table shall name it; empty: none
  std::string date;         // UTC
};

[[nodiscard]] std::string measurement_table(const NetworkMeasurement& measurement, const RunLabels& run,
                                            int width);
[[nodiscard]] std::string measurement_json(const NetworkMeasurement& measurement, const RunLabels& run);

// Header and row of the table of runs (sim/runs/run_table.h), each with its end of line.
[[nodiscard]] std::string run_header();
[[nodiscard]] std::string run_row(const NetworkMeasurement& measurement, const RunLabels& run);

// The file for `validate --blame` (sim/runs/blame.h).
[[nodiscard]] std::string layer_times_csv(const NetworkMeasurement& measurement);

}  // namespace layersim
