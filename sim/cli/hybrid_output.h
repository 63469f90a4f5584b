#pragma once
// What `layersim hybrid` prints.

#include <string>
#include <vector>

#include "sim/core/json.h"
#include "sim/core/warnings.h"
#include "trainers/methods/hybrid_steps.h"

namespace layersim {

// Convolutions of all steps by where their times come from.
[[nodiscard]] Json counts_json(const std::vector<HybridStep>& steps);
[[nodiscard]] std::string counts_text(const std::vector<HybridStep>& steps);

[[nodiscard]] Json prediction_json(const HybridModel& model, const std::vector<HybridStep>& steps,
                                   const Warnings& warnings);
[[nodiscard]] std::string prediction_text(const HybridModel& model, const std::vector<HybridStep>& steps);

[[nodiscard]] Json model_json(const HybridModel& model, const std::vector<HybridStep>& steps,
                              const Warnings& warnings);
[[nodiscard]] std::string model_text(const HybridModel& model, const std::vector<HybridStep>& steps,
                                     const std::string& file);

[[nodiscard]] Json missing_json(const std::vector<HybridStep>& steps, const ProblemList& list,
                                const std::string& file, const Warnings& warnings);
[[nodiscard]] std::string missing_text(const std::vector<HybridStep>& steps, const ProblemList& list,
                                       const std::string& file);

}  // namespace layersim
