#pragma once
// What a user demands of a validation: limits, and no run worse than in an older result.

#include <optional>
#include <string>
#include <vector>

#include "sim/runs/validation.h"

namespace layersim {

// An older result may be beaten by this much without counting as a regression: other processors round
// differently.
inline constexpr double kApeTolerance = 0.005;
inline constexpr double kMapeTolerance = 0.001;

struct Limits {
  std::optional<double> max_mape;  // shares, as in the following
  std::optional<double> max_ape;
  std::string baseline_file;  // JSON of an older validation; empty: none
};

// One demand and what came of it.
struct RunCheck {
  std::string name;  // "--max-mape"
  bool holds = true;
  std::string result;  // "MAPE 7.8 %, at most 10 % allowed"
  // Runs (indices into the results) that break it, with what is wrong about each.
  std::vector<std::pair<std::size_t, std::string>> failing_runs;
};

// In the order of the limits. Throws bad_input where the baseline is no such JSON.
[[nodiscard]] std::vector<RunCheck> check_runs(const Validation& validation, const Limits& limits);

}  // namespace layersim
