#pragma once
// Measured rows as training data: a Table of any kind becomes samples with a Problem, conditions, and a time,
// and those become feature matrices, one a family.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hwdb/device.h"
#include "layers/layer_kind.h"
#include "sim/features/feature_family.h"
#include "sim/store/table.h"

namespace layersim {

// One measured layer.
struct Sample {
  Problem problem;
  LayerWork work;
  Pass pass = Pass::forward;
  Optimizer optimizer = Optimizer::none;
  Precision precision = Precision::fp32;
  bool updates_activations = false;
  std::int32_t device = 0;  // index into SampleSet::devices
  std::int32_t stack = 0;   // index into SampleSet::stacks
  double time_ms = 0;
  double spread = 0;                // relative standard deviation of the repetitions; 0: not known
  std::uint64_t configuration = 0;  // hash of all that was measured, without device and stack
};

struct SampleSet {
  std::vector<Device> devices;
  std::vector<std::string> stacks;
  std::vector<Sample> samples;
};

// Adds the rows of a layer table. Throws bad_input naming row and column; GPUs that hwdb does not know name
// themselves.
void add_samples(SampleSet& set, const Table& table);

// Row-major, float32. Rows in the order of `samples`.
struct FeatureMatrix {
  const FeatureFamily* family = nullptr;
  std::vector<std::string> gpus;
  std::vector<std::string> stacks;
  int feature_count = 0;  // family's, then one-hots of gpus, then of stacks
  int term_count = 0;
  std::vector<std::size_t> samples;  // index into SampleSet::samples
  std::vector<float> features;
  std::vector<float> log_terms_ms;
  std::vector<float> log_time_ms;
  std::vector<float> weights;

  [[nodiscard]] std::size_t rows() const { return samples.size(); }
};

}  // namespace layersim
