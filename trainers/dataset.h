#pragma once
// Measured rows as training data: a Table of any layer kind becomes samples with a Problem, conditions and a
// time, and those become feature matrices.

#include <cstdint>
#include <deque>
#include <map>
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
  const FeatureFamily* family = nullptr;
  Pass pass = Pass::forward;
  Optimizer optimizer = Optimizer::none;
  Precision precision = Precision::fp32;
  bool updates_activations = false;
  bool input_gradient = true;    // false: training of a network's first layer
  bool has_gradient = true;      // false: training, but nothing before the layer learns
  double campaign_position = 0;  // see FeatureQuery
  std::uint32_t row = 0;         // of its table, from 0
  std::int32_t device = 0;       // index into SampleSet::devices
  std::int32_t stack = 0;        // index into SampleSet::stacks
  double time_ms = 0;
  double spread = 0;                // relative standard deviation of the repetitions; 0: not known
  std::string network;              // within which it was timed; empty: by itself
  std::uint64_t configuration = 0;  // hash of what was measured, the same on every device and stack
};

struct SampleSet {
  std::deque<Device> devices;  // stay in place: conditions point to them
  std::vector<std::string> stacks;
  std::vector<Sample> samples;
  std::map<std::string, std::size_t> left_out;  // rows that became no sample, by the reason

  [[nodiscard]] FeatureQuery query(const Sample& sample) const;
  [[nodiscard]] Conditions conditions(const Sample& sample) const;
};

// Index of the stack, which is added if it is new.
std::int32_t stack_index(SampleSet& set, const std::string& stack);

enum class SampleUse : unsigned char {
  training,    // rows of layers that a feature family covers, measured by themselves
  evaluation,  // also those of other layers (family is nullptr), and operators measured within networks
};
// Adds the rows of a layer table. Rows that become no sample are counted in the result and in `left_out`.
// Devices that the set has already stand for their key. Throws bad_input naming row and column, also for a
// GPU that hwdb does not know.
std::size_t add_samples(SampleSet& set, const Table& table, SampleUse use = SampleUse::training);

// Of rows that became no sample: "12 rows: layers of kind 'rnn'; 1 row: ..."
[[nodiscard]] std::string list_reasons(const std::map<std::string, std::size_t>& left_out);

// Throws bad_input naming the column of what add_samples refuses of a row, whatever its device. Rows of runs,
// and of kinds that give no samples, pass.
void check_layer_row(const Table& table, std::size_t row);

// Which of two to four parts a configuration falls into: a number in [0, 1) from its hash and the seed.
[[nodiscard]] double split_position(std::uint64_t configuration, std::uint64_t seed);

// Row-major, float32, rows in the order of `samples`.
struct FeatureMatrix {
  const FeatureFamily* family = nullptr;
  std::vector<std::string> gpus;
  std::vector<std::string> stacks;
  int feature_count = 0;  // family's, device's, one-hots of gpus, of stacks
  int term_count = 0;
  std::vector<std::size_t> samples;  // index into SampleSet::samples
  std::vector<float> features;
  std::vector<float> log_terms_ms;
  std::vector<float> log_time_ms;
  std::vector<float> weights;  // mean 1

  [[nodiscard]] std::size_t rows() const { return samples.size(); }
};

// The features of these samples, which must all be of one family. One-hots for `gpus` and `stacks`.
[[nodiscard]] FeatureMatrix make_feature_matrix(const SampleSet& set, std::vector<std::size_t> samples,
                                                std::vector<std::string> gpus,
                                                std::vector<std::string> stacks);

}  // namespace layersim
