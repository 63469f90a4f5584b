#pragma once
// An older validation, as its JSON tells it.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/runs/validation.h"

namespace layersim {

// What makes a run the same run in two tables: what ran where and how.
[[nodiscard]] std::string identity(const Validation& validation, const RunResult& result);

struct Baseline {
  double mape = 0;
  // Errors of the runs by identity, in the order of the file; nothing: not predicted.
  std::map<std::string, std::vector<std::optional<double>>> ape;
};

// Throws bad_input naming file and key.
[[nodiscard]] Baseline read_baseline(const std::string& file);

}  // namespace layersim
