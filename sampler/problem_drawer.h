#pragma once
// Random problems of a sweep. Problem i follows from the seed and i alone, so that a campaign can stop, go on
// and be divided over many devices, and has the same problems everywhere.

#include <cstdint>

#include "sampler/sample_problem.h"
#include "sampler/sweep.h"

namespace layersim {

class RandomStream;

class ProblemDrawer {
 public:
  ProblemDrawer(Sweep sweep, std::uint64_t seed);

  // Kinds take turns; the entries of a kind are drawn by their weights. What is contradictory, beyond the
  // limits of the sweep or not to be measured is drawn again. Throws bad_use when nothing of a kind is left.
  [[nodiscard]] SampleProblem draw(std::uint64_t index) const;

 private:
  [[nodiscard]] const SweepEntry& choose_entry(const LayerKind& kind, RandomStream& random) const;
  [[nodiscard]] SampleProblem draw_once(const SweepEntry& entry, RandomStream& random) const;
  [[nodiscard]] bool is_within_limits(const SampleProblem& sample) const;

  Sweep sweep_;
  std::uint64_t seed_;
  std::vector<const LayerKind*> kinds_;
};

}  // namespace layersim
