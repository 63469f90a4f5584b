#pragma once
// Measured runs as training data. A run becomes a sum: rows of features for the parts of its step, each with
// how often it occurs, and the numbers from which the host's share follows. A measured single layer is a sum
// of one or a few rows. Equal parts share a row.

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/decompose/decompose.h"
#include "sim/predictors/run_model.h"
#include "sim/predictors/step_parts.h"
#include "trainers/dataset.h"
#include "trainers/operation_profile.h"

namespace layersim {

// Rows of one feature family.
struct PartRows {
  const FeatureFamily* family = nullptr;
  std::vector<float> features;  // rows x the family's own features
  std::vector<float> log_terms_ms;
  std::vector<std::int32_t> setting;                // index into RunSet::settings
  std::vector<std::optional<WeightShape>> weights;  // of forward parts
  std::vector<std::optional<StepOperation>> operation;

  [[nodiscard]] std::size_t rows() const { return setting.size(); }
};

// What the rows of a run share.
struct RunSetting {
  const Device* device = nullptr;
  std::string stack;
  Precision precision = Precision::fp32;

  [[nodiscard]] Conditions conditions() const;
};

struct PartCount {
  std::int32_t family = 0;  // index into RunSet::parts
  std::int32_t row = 0;
  float repeats = 1;
};

struct MeasuredRun {
  std::string network;  // what is left out together; empty for a layer that was timed by itself
  std::string network_family;
  std::int32_t setting = 0;
  Mode mode = Mode::training;
  std::vector<PartCount> parts;
  HostWork host;
  bool is_layer = false;  // not a whole step but layers alone, which the host launches and waits for
  double measured_ms = 0;
  OperationTimes operations_ms{};  // of its parts, where a profiler told them
};

struct RunSet {
  std::deque<Device> devices;  // stay in place
  std::vector<RunSetting> settings;
  std::vector<PartRows> parts;  // conv, gemm, streaming
  std::vector<MeasuredRun> runs;

  [[nodiscard]] const RunSetting& setting(const MeasuredRun& run) const {
    return settings[static_cast<std::size_t>(run.setting)];
  }
  [[nodiscard]] const std::optional<WeightShape>& weights(const PartCount& part) const {
    return parts[static_cast<std::size_t>(part.family)].weights[static_cast<std::size_t>(part.row)];
  }
};

// Adds runs; remembers rows to share them.
class RunSetBuilder {
 public:
  explicit RunSetBuilder(RunSet& set);

  // A whole step. `network` at the batch and precision of the run.
  MeasuredRun& add(const Network& network, const Conditions& conditions, double measured_ms);
  // A measured layer; false for one without parts in the families of a run set (recurrent layers) and for a
  // backward time that is not split into its gradients.
  bool add(const SampleSet& samples, const Sample& sample);

 private:
  std::int32_t setting(const Conditions& conditions);
  void count(const StepPart& part, const LayerQuery& query, const Conditions& conditions, double repeats,
             MeasuredRun& run);

  RunSet& set_;
  std::map<std::string, std::int32_t> settings_;
  std::vector<std::map<std::string, std::int32_t>> rows_;  // parallel to RunSet::parts
  std::map<std::string, const Device*> devices_;
};

}  // namespace layersim
