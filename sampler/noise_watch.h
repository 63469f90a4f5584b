#pragma once
// Whether the machine is quiet enough to measure on: looked at once before, and all the time after.

#include <deque>

#include "sampler/measurement.h"

namespace layersim {

// Measures one matrix product many times over; throws check_failed when its times scatter too much.
void check_quiet(Backend& backend, const NoiseLimits& limits);

class NoiseWatch {
 public:
  // Throws check_failed when more than half of the last results were noisy.
  void add(const SampleResult& result, const NoiseLimits& limits);

 private:
  std::deque<bool> noisy_;
};

}  // namespace layersim
