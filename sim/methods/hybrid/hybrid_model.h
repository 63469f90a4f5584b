#pragma once
// A step is its convolutions, whose times are measured or predicted one by one, and the rest, which is told
// from parameters of all other layers together: time = convolutions + base x exp(trees). The base is a sum
// of the device sheet's times for each kind of layer, times a factor of the kind that is never negative;
// boosted trees correct it.

#include <filesystem>
#include <string>
#include <vector>

#include "sim/decompose/decompose.h"
#include "sim/features/conditions.h"
#include "sim/methods/common/forest.h"
#include "sim/predictors/predictor.h"

namespace layersim {

// A step without its convolutions.
struct StepRest {
  std::vector<double> part_ms;  // parallel to rest_part_names()
  std::vector<float> features;  // parallel to rest_feature_names()
};
// Memory traffic of each kind of layer and of the update at the sheet's bandwidth, arithmetic of products at
// its peak, and launches of 4 us.
[[nodiscard]] std::vector<std::string> rest_part_names();
[[nodiscard]] std::vector<std::string> rest_feature_names();
// `conv_ms`: all convolutions of the step together.
[[nodiscard]] StepRest step_rest(const Network& network, const Conditions& conditions, double conv_ms);

struct HybridModel {
  std::vector<double> factors;  // of each part, at least 0
  Forest trees;                 // answer with log(rest / base)
  double half_width = 0;        // of the 90 % interval, in logarithms, on networks (of one: batches) left out
  double new_gpu_half_width = 0;  // the same on GPUs; 0: one was learned from, or a file of an older version
  double left_out_mape = 0;
  double stored_share = 0;  // of the convolutions' time in training, from the store
  std::vector<std::string> gpus;
  std::vector<std::string> networks;
  std::vector<std::string> sources;
  std::string date;

  // Whether the trees ask for the mode. Trees grown on runs of one mode alone never do, and the file does not
  // tell which it was.
  [[nodiscard]] bool tells_modes() const;
  [[nodiscard]] double base_ms(const StepRest& rest) const;  // above 0
  [[nodiscard]] double predict_ms(double conv_ms, const StepRest& rest) const;
  // Wider for GPUs that were not learned from, and for another network than the only one that was.
  [[nodiscard]] Interval interval_ms(double predicted_ms, const std::string& network,
                                     const std::string& gpu) const;
};

// Throws bad_input, one line naming the file.
[[nodiscard]] HybridModel read_hybrid_model(const std::filesystem::path& file);
void write_hybrid_model(const HybridModel& model, const std::filesystem::path& file);
[[nodiscard]] std::filesystem::path shipped_hybrid_file();

}  // namespace layersim
