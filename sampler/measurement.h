#pragma once
// A problem run on a backend by the timing protocol, and what came of it.

#include <cstdint>
#include <string>

#include "sampler/backend.h"
#include "sampler/protocol.h"

namespace layersim {

struct SampleResult {
  std::uint64_t index = 0;  // of the problem in its campaign
  SampleProblem sample;
  std::string skipped{};  // why it could not be measured; empty when it was
  Timing timing{};        // of one call
  MeasuredStep parts{};   // of one call, medians over the repetitions; zero but `total` for a forward pass
  bool noisy = false;     // the repetitions scatter by more than they should
};

// How much repetitions may scatter, see Timing::spread.
struct NoiseLimits {
  double most_spread = 0.25;
  int attempts = 3;  // a noisy measurement is repeated, and the quietest one counts
};

// What cannot be measured is a result as well.
[[nodiscard]] SampleResult measure(Backend& backend, const SampleProblem& sample, const Protocol& protocol,
                                   const NoiseLimits& limits);

}  // namespace layersim
