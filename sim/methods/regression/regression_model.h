#pragma once
// A sum of terms: a constant, features, their inverses and logarithms, and products of these. Either the time
// itself is the sum, or its logarithm is.

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/predictors/predictor.h"

namespace layersim {

enum class Form : unsigned char { value, inverse, logarithm };

struct Factor {
  std::size_t feature = 0;
  Form form = Form::value;

  // The inverse of 0 and the logarithm of what is not above 0 are 0.
  [[nodiscard]] double of(std::span<const double> features) const;
  // Fitted terms have inverses and logarithms of features alone that were above 0.
  [[nodiscard]] bool is_defined(std::span<const double> features) const;
};

struct Term {
  std::vector<Factor> factors;  // none: the constant
  double coefficient = 0;

  [[nodiscard]] double of(std::span<const double> features) const;  // without the coefficient
};

// In what a row is unlike those that a formula was fitted to.
struct Novelty {
  bool network = false;
  bool gpu = false;
  std::vector<std::string> outside = {};  // names of the features that lie outside their range
};

struct RegressionModel {
  std::vector<std::string> features;
  std::vector<double> low;  // of each feature, over the rows that it was fitted to
  std::vector<double> high;
  std::vector<Term> terms;
  bool of_logarithm = false;
  double least_ms = 0;    // half the shortest time that was fitted; stands where the formula tells no time
  double half_width = 0;  // of the 90 % interval, in logarithms, on rows that the fit did not see
  double left_out_mape = 0;
  std::string left_out;  // what these rows were: "network"
  std::vector<std::string> networks;
  std::vector<std::string> gpus;
  // None in files of older versions.
  std::vector<std::string> stacks;
  std::vector<std::string> precisions;
  std::vector<std::string> modes;
  std::vector<std::string> optimizers;
  // For rows that `terms` were not chosen for: parts of a step, none below zero, so that more work never
  // takes less time. None in tables that are none of runs, and in files of older versions.
  std::vector<Term> step_terms;
  // As half_width, of step_terms on networks left out in turn, and on GPUs; 0: not known, of one alone.
  double new_network_half_width = 0;
  double new_gpu_half_width = 0;
  std::vector<std::string> sources;
  std::string date;

  [[nodiscard]] Novelty novelty(std::span<const double> features, const std::string& network,
                                const std::string& gpu) const;
  // False where the time is that of any software: no term is for this stack alone, nor are all rows of it.
  [[nodiscard]] bool knows_stack(const std::string& stack) const;
  // `terms`, whatever the row.
  [[nodiscard]] double formula_ms(std::span<const double> features) const;
  // `terms` or `step_terms`.
  [[nodiscard]] double predict_ms(std::span<const double> features, const Novelty& novelty) const;
  // False where predict_ms has nothing but `least_ms` to say.
  [[nodiscard]] bool tells_time(std::span<const double> features, const Novelty& novelty) const;
  // Wider where the network or the GPU is new: from half to twice the time where none was left out to tell.
  // So wide at least, and up to `least_ms`, for what is outside and takes less time than all that was fitted.
  [[nodiscard]] Interval interval_ms(double predicted_ms, const Novelty& novelty) const;

 private:
  // Of `step_terms` or `terms`; none where they tell no time.
  [[nodiscard]] std::optional<double> told_ms(std::span<const double> features, bool of_step) const;
  [[nodiscard]] bool is_for_networks() const;
  [[nodiscard]] bool takes_step(const Novelty& novelty) const;
};

// "time_ms = 1.2 + 0.031 * batch / peak_tflops", a term a line.
[[nodiscard]] std::string formula(const RegressionModel& model);
// The same of `step_terms`; empty where there are none.
[[nodiscard]] std::string step_formula(const RegressionModel& model);

// Throws bad_input, one line naming the file.
[[nodiscard]] RegressionModel read_regression_model(const std::filesystem::path& file);
void write_regression_model(const RegressionModel& model, const std::filesystem::path& file);
[[nodiscard]] std::filesystem::path shipped_regression_file();

}  // namespace layersim
