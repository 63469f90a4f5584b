#pragma once
// What `layersim hybrid` says of the times that it takes.

#include <string>
#include <vector>

#include "sim/core/warnings.h"
#include "trainers/methods/hybrid_steps.h"

namespace layersim {

// Why rows of the store give no time to steps that lack convolutions: rows that tell none, by reason, and
// passes that were not measured. `file` begins each.
void warn_of_unused_rows(const std::string& file, const ConvTimes& stored,
                         const std::vector<HybridStep>& steps, Warnings& warnings);

// What the predictions of the steps rest on, where neither their convolutions were measured nor the model
// learned from runs of their device; layers without a model.
void warn_of_basis(const std::string& file, const ConvTimes& stored, const HybridModel& model,
                   const std::vector<HybridStep>& steps, Warnings& warnings);

}  // namespace layersim
