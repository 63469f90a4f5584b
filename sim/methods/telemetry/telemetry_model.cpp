#include "sim/methods/telemetry/telemetry_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/core/config_dir.h"
#include "sim/core/error.h"
#include "sim/methods/common/log_interval.h"
#include "sim/methods/telemetry/job_metrics.h"
#include "sim/store/array_file.h"

namespace layersim {
namespace {

constexpr FileFormat kFormat{"telemetry predictor", 1};
constexpr const char* kGroup = "telemetry";
constexpr double kLeastDistance = 1e-3;

// Weighted by the inverse of the distance.
double nearest_value(const TelemetryModel& model, const std::vector<float>& inputs) {
  std::vector<std::pair<double, std::size_t>> distances;
  for (std::size_t i = 0; i < model.known_inputs.rows(); ++i) {
    double squares = 0;
    const auto row = model.known_inputs.row(i);
    for (std::size_t j = 0; j < inputs.size(); ++j) {
      const double difference = static_cast<double>(row[j]) - static_cast<double>(inputs[j]);
      squares += difference * difference;
    }
    distances.emplace_back(std::sqrt(squares), i);
  }
  const std::size_t count = std::min(kNeighbours, distances.size());
  std::partial_sort(distances.begin(), distances.begin() + static_cast<std::ptrdiff_t>(count),
                    distances.end());
  double sum = 0;
  double weights = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const double weight = 1 / std::max(distances[k].first, kLeastDistance);
    sum += weight * static_cast<double>(model.known_values[distances[k].second]);
    weights += weight;
  }
  return sum / weights;
}

double ridge_value(const TelemetryModel& model, const std::vector<float>& inputs) {
  auto sum = static_cast<double>(model.ridge.back());
  for (std::size_t j = 0; j < inputs.size(); ++j)
    sum += static_cast<double>(model.ridge[j]) * static_cast<double>(inputs[j]);
  return sum;
}

TelemetryModel read_group(const ArrayGroup& group) {
  const std::size_t features = telemetry_features({}, {}, {}).size();
  TelemetryModel model;
  model.date = group.text("date");
  model.gpus = group.lines("gpus");
  model.networks = group.lines("networks");
  model.sources = group.lines("sources");
  model.forest = load_forest(group, "forest", features);
  model.boosting = load_forest(group, "boosting", features);
  model.normalisation = {group.array("mean").values, group.array("scale").values};
  model.known_inputs = {group.array("known_inputs").columns, group.array("known_inputs").values};
  model.known_values = group.array("known_values").values;
  model.ridge = group.array("ridge").values;
  const auto& numbers = group.array("numbers").values;
  if (model.normalisation.mean.size() != features || model.normalisation.scale.size() != features ||
      model.known_inputs.columns != features || model.known_inputs.rows() != model.known_values.size() ||
      model.known_values.empty() || model.ridge.size() != features + 1 ||
      numbers.size() < model.weights.size() + 2 || numbers.size() > model.weights.size() + 3)
    throw bad_input("was written for other features than this program has");
  std::copy(numbers.begin(), numbers.begin() + model.weights.size(), model.weights.begin());
  model.half_width = static_cast<double>(numbers[model.weights.size()]);
  model.left_out_mape = static_cast<double>(numbers[model.weights.size() + 1]);
  // Files of older versions do not have it.
  if (numbers.size() > model.weights.size() + 2)
    model.new_gpu_half_width = static_cast<double>(numbers[model.weights.size() + 2]);
  return model;
}

}  // namespace

std::array<double, kStackMembers.size()> member_log_factors(const TelemetryModel& model,
                                                            const std::vector<float>& features) {
  const std::vector<float> inputs = model.normalisation.apply(features);
  return {model.forest.predict(features), model.boosting.predict(features), nearest_value(model, inputs),
          ridge_value(model, inputs)};
}

double log_factor(const TelemetryModel& model, const std::vector<float>& features) {
  const auto members = member_log_factors(model, features);
  double sum = 0;
  for (std::size_t m = 0; m < members.size(); ++m) sum += model.weights[m] * members[m];
  return sum;
}

bool knows_gpu(const TelemetryModel& model, const std::string& gpu) {
  return std::find(model.gpus.begin(), model.gpus.end(), gpu) != model.gpus.end();
}

std::vector<std::string> outside_trained(const TelemetryModel& model, const std::vector<float>& features) {
  constexpr float kSlack = 0.25F;
  const Normalisation& scales = model.normalisation;
  const std::vector<std::string> names = job_feature_names();
  std::vector<std::string> outside;
  for (std::size_t j = 0; j < names.size(); ++j) {
    float low = model.known_inputs.row(0)[j];
    float high = low;
    for (std::size_t i = 1; i < model.known_inputs.rows(); ++i) {
      low = std::min(low, model.known_inputs.row(i)[j]);
      high = std::max(high, model.known_inputs.row(i)[j]);
    }
    const float slack = kSlack * (high - low);
    const float input = (features[j] - scales.mean[j]) / scales.scale[j];
    if (input < low - slack || input > high + slack) outside.push_back(names[j]);
  }
  return outside;
}

Interval interval_of(const TelemetryModel& model, double predicted, const std::string& anchor,
                     const std::string& target, bool is_outside) {
  const bool known = knows_gpu(model, anchor) && knows_gpu(model, target);
  double width = known ? model.half_width : unseen_half_width(model.half_width, model.new_gpu_half_width);
  if (is_outside) width = unseen_half_width(width, 0);
  return log_interval(predicted, width);
}

TelemetryModel read_telemetry_model(const std::filesystem::path& file) {
  return with_context(file.string(), [&] {
    const ArrayGroups groups = read_array_file(file.string(), kFormat);
    const auto own = groups.find(kGroup);
    if (own == groups.end()) throw bad_input("has no group 'telemetry'");
    return read_group(own->second);
  });
}

void write_telemetry_model(const TelemetryModel& model, const std::filesystem::path& file) {
  ArrayGroups groups;
  ArrayGroup& group = groups[kGroup];
  group.texts["date"] = model.date;
  group.set_lines("gpus", model.gpus);
  group.set_lines("networks", model.networks);
  group.set_lines("sources", model.sources);
  store_forest(group, "forest", model.forest);
  store_forest(group, "boosting", model.boosting);
  group.arrays["mean"] = {model.normalisation.mean, 1};
  group.arrays["scale"] = {model.normalisation.scale, 1};
  group.arrays["known_inputs"] = {model.known_inputs.values, model.known_inputs.columns};
  group.arrays["known_values"] = {model.known_values, 1};
  group.arrays["ridge"] = {model.ridge, 1};
  StoredArray numbers{{model.weights.begin(), model.weights.end()}, 1};
  numbers.values.push_back(static_cast<float>(model.half_width));
  numbers.values.push_back(static_cast<float>(model.left_out_mape));
  numbers.values.push_back(static_cast<float>(model.new_gpu_half_width));
  group.arrays["numbers"] = std::move(numbers);
  with_context(file.string(), [&] { write_array_file(file.string(), kFormat, groups); });
}

std::filesystem::path shipped_telemetry_file() { return config_dir() / "predictors" / "telemetry.h5"; }

}  // namespace layersim
