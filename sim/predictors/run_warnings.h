#pragma once
// What of a prediction by a run model is measured and what is extrapolated.

#include <string>
#include <vector>

#include "sim/features/conditions.h"
#include "sim/predictors/run_model.h"

namespace layersim {

// Runs of the conditions' device and stack in their precision and mode were in the training.
[[nodiscard]] bool is_measured(const RunModel& model, const Conditions& conditions);

// For people; empty when such runs were measured. `conditions` name a stack.
[[nodiscard]] std::vector<std::string> run_warnings(const RunModel& model, const Conditions& conditions);

}  // namespace layersim
