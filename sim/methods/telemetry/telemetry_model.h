#pragma once
// A stacked regressor: a random forest, boosted trees, nearest neighbours and ridge regression predict by
// which factor an epoch takes longer on the target device than on the anchor, and a linear model weighs their
// answers.

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "sim/methods/common/dense_network.h"
#include "sim/methods/common/forest.h"
#include "sim/methods/common/matrix.h"
#include "sim/predictors/predictor.h"

namespace layersim {

inline constexpr std::array<std::string_view, 4> kStackMembers{"forest", "boosting", "neighbours", "ridge"};
inline constexpr std::size_t kNeighbours = 5;

struct TelemetryModel {
  Forest forest;  // each answers with a log factor
  Forest boosting;
  Normalisation normalisation;  // of what the next two read
  Matrix known_inputs;          // neighbours: the rows that training had, normalised
  std::vector<float> known_values;
  std::vector<float> ridge;                            // factors, then the constant
  std::array<double, kStackMembers.size()> weights{};  // at least 0
  double half_width = 0;          // of the 90 % interval, in logarithms, on networks that were left out
  double new_gpu_half_width = 0;  // the same on GPUs; 0: not known, or a file of an older version
  double left_out_mape = 0;
  std::vector<std::string> gpus;  // trained on
  std::vector<std::string> networks;
  std::vector<std::string> sources;
  std::string date;
};

// The members' answers.
[[nodiscard]] std::array<double, kStackMembers.size()> member_log_factors(const TelemetryModel& model,
                                                                          const std::vector<float>& features);
[[nodiscard]] double log_factor(const TelemetryModel& model, const std::vector<float>& features);
[[nodiscard]] bool knows_gpu(const TelemetryModel& model, const std::string& gpu);
// Names of the job's features that lie outside the range of the jobs trained on by more than a quarter of it.
[[nodiscard]] std::vector<std::string> outside_trained(const TelemetryModel& model,
                                                       const std::vector<float>& features);
// Of a time from one GPU to another: wider where the model has no jobs of one of them, and from half to twice
// the time or more where the job lies outside those trained on.
[[nodiscard]] Interval interval_of(const TelemetryModel& model, double predicted, const std::string& anchor,
                                   const std::string& target, bool is_outside);

// Throws bad_input, one line naming the file.
[[nodiscard]] TelemetryModel read_telemetry_model(const std::filesystem::path& file);
void write_telemetry_model(const TelemetryModel& model, const std::filesystem::path& file);
[[nodiscard]] std::filesystem::path shipped_telemetry_file();

}  // namespace layersim
