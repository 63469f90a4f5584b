#pragma once
// What is measured: a layer with numbers, and how it is run. The sampler has three types, as benchdnn of
// oneDNN has: a sweep (ranges), a problem drawn from it (this one), and the result of measuring it.

#include <string>

#include "layers/layer_kind.h"
#include "sim/features/conditions.h"

namespace layersim {

struct SampleProblem {
  Problem problem;
  Mode mode = Mode::forward;
  Optimizer optimizer = Optimizer::none;  // none also in training where the layer learns nothing
  Precision precision = Precision::fp32;
  bool input_gradient = true;  // false: a network's first layer, whose input nobody trains
};

// "conv batch=4 in_channels=3 ... activation=relu mode=training optimizer=sgd precision=fp32"; parameters
// that no sweep varies and that have their lowest value are left out.
[[nodiscard]] std::string to_text(const SampleProblem& sample);

// Tensors that exist at the worst moment of a step, in MiB: operands, result, what is kept, and in training
// gradients and the optimizer's states. Of a program that reuses nothing; libraries' workspace is not in it.
[[nodiscard]] double memory_mib(const SampleProblem& sample);

// Of one step in 1e9 FLOP: forward alone, or with both gradients.
[[nodiscard]] double step_gflop(const SampleProblem& sample);

// Why no backend can run it so, or the table of rows cannot tell it; empty when it can be measured.
[[nodiscard]] std::string reason_not_to_measure(const SampleProblem& sample);

}  // namespace layersim
