#pragma once
// What a user leaves open about a run, decided: the conditions under which a network's layers run.

#include <optional>
#include <string_view>

#include "sim/decompose/decompose.h"
#include "sim/features/conditions.h"

namespace layersim {

struct RunSettings {
  Mode mode = Mode::training;
  std::optional<Optimizer> optimizer;  // nothing: sgd in training. Left out in forward mode
  std::optional<Precision> precision;  // nothing: as the file stores its tensors
  std::string_view stack = {};
  int n_gpus = 1;
};

// The conditions of a network whose tensors have `precision`. The result points to `device` and to the
// stack's text.
[[nodiscard]] Conditions run_conditions(const Device& device, const RunSettings& settings,
                                        Precision precision);

// The same, after giving the network's tensors the precision that was asked for. Throws bad_use for training
// in int8.
[[nodiscard]] Conditions settle_conditions(Network& network, const Device& device,
                                           const RunSettings& settings);

}  // namespace layersim
