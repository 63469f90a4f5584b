#pragma once
// Runs taken apart for `hybrid`: the convolutions by the store or, where it lacks them, by a predictor, and
// the rest as features.

#include <string>
#include <vector>

#include "sim/methods/hybrid/hybrid_model.h"
#include "sim/predictors/predictor.h"
#include "sim/runs/run_networks.h"
#include "trainers/methods/conv_times.h"

namespace layersim {

struct MissingConv {
  Problem problem;
  Mode mode = Mode::training;
  Precision precision = Precision::fp32;
  std::string gpu;
  std::string layer;  // the first that has it: "resnet50.onnx: layer1.0.conv1"
};

// Executions of convolutions in a step.
struct ConvCounts {
  double stored = 0;
  double predicted = 0;
  double incomplete = 0;  // of the predicted: the store has them, but not all passes that the step has

  ConvCounts& operator+=(const ConvCounts& other) {
    stored += other.stored;
    predicted += other.predicted;
    incomplete += other.incomplete;
    return *this;
  }
};

struct HybridStep {
  std::string network;
  std::string gpu;
  Precision precision = Precision::fp32;
  Mode mode = Mode::training;
  std::int64_t batch = 1;
  double measured_ms = 0;  // 0 where it is to be predicted
  double conv_ms = 0;
  double stored_ms = 0;  // of these: from the store
  double whole_ms = 0;   // the predictor's answer for the step alone, to hold it against
  ConvCounts convolutions;
  StepRest rest;
  std::vector<MissingConv> missing;
  std::vector<std::string> network_warnings;
  std::vector<std::string> predicted;  // what the predictor says of its convolutions, where there are some
};

class HybridSteps {
 public:
  HybridSteps(const ConvTimes& stored, const Predictor& predictor) : stored_(stored), predictor_(predictor) {}

  // One device's share of the run. Throws bad_input where its network cannot be read.
  [[nodiscard]] HybridStep take_apart(const Run& run);

 private:
  const ConvTimes& stored_;
  const Predictor& predictor_;
  RunNetworks networks_;
};

// The convolutions that steps lack, each once, as rows for `sample --problems`, in the columns of measured
// rows without device and time. Those whose two ends of an axis are padded differently cannot be told in
// these columns: they are left out and counted.
struct ProblemList {
  std::string csv;
  std::size_t problems = 0;
  std::size_t not_told = 0;
};
[[nodiscard]] ProblemList list_missing(const std::vector<HybridStep>& steps);

}  // namespace layersim
