#pragma once
// A step is its convolutions, whose times are measured or predicted one by one, and the rest, which boosted
// trees tell from parameters of all other layers together: time = convolutions + base x exp(trees), where the
// base is what the device sheet allows at best for the rest.

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
  double base_ms = 0;           // roofline time of the other layers, the update and their launches; above 0
  std::vector<float> features;  // parallel to rest_feature_names()
};
[[nodiscard]] std::vector<std::string> rest_feature_names();
// `conv_ms`: all convolutions of the step together.
[[nodiscard]] StepRest step_rest(const Network& network, const Conditions& conditions, double conv_ms);

struct HybridModel {
  Forest trees;           // answer with log(rest / base)
  double half_width = 0;  // of the 90 % interval, in logarithms, on networks that were left out
  double left_out_mape = 0;
  double stored_share = 0;  // of the convolutions' time in training, from the store
  std::vector<std::string> gpus;
  std::vector<std::string> networks;
  std::vector<std::string> sources;
  std::string date;

  [[nodiscard]] double predict_ms(double conv_ms, const StepRest& rest) const;
  [[nodiscard]] Interval interval_ms(double predicted_ms) const;
};

// Throws bad_input, one line naming the file.
[[nodiscard]] HybridModel read_hybrid_model(const std::filesystem::path& file);
void write_hybrid_model(const HybridModel& model, const std::filesystem::path& file);
[[nodiscard]] std::filesystem::path shipped_hybrid_file();

}  // namespace layersim
