#include "sampler/problem_drawer.h"

#include <algorithm>
#include <utility>

#include "sampler/random_stream.h"
#include "sim/core/error.h"

namespace layersim {
namespace {

constexpr int kMostTries = 20000;

std::int64_t draw_size(const ParameterRange& range, RandomStream& random) {
  switch (range.draw) {
    case Draw::uniform: {
      const std::int64_t value = random.between(range.low, range.high);
      return value - value % range.multiple_of;
    }
    case Draw::log_uniform: {
      const std::int64_t value = random.log_between(std::max<std::int64_t>(range.low, 1), range.high);
      return value - value % range.multiple_of;
    }
    case Draw::choice:
      return range.values[static_cast<std::size_t>(
          random.between(0, static_cast<std::int64_t>(range.values.size()) - 1))];
    case Draw::fixed:
    case Draw::derived:
      break;
  }
  return range.low;
}

template <typename Value>
Value draw_one(const std::vector<Value>& values, RandomStream& random) {
  return values[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(values.size()) - 1))];
}

std::vector<std::int64_t> draw_sizes(const SweepEntry& entry, RandomStream& random) {
  std::vector<std::int64_t> sizes;
  sizes.reserve(entry.ranges.size());
  for (const ParameterRange& range : entry.ranges) sizes.push_back(draw_size(range, random));
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const ParameterRange& range = entry.ranges[i];
    if (range.equal_to < 0) continue;
    sizes[i] = sizes[static_cast<std::size_t>(range.equal_to)] * range.times + range.plus;
  }
  return sizes;
}

// False where the numbers contradict each other: a kernel larger than its input, say.
bool derive(Problem& problem) {
  for (const std::int64_t size : problem.sizes) {
    if (size > kLargestSize) return false;
  }
  if (problem.kind->derive == nullptr) return true;
  try {
    problem.kind->derive(problem);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::bad_input) throw;
    return false;
  }
  return true;
}

}  // namespace

ProblemDrawer::ProblemDrawer(Sweep sweep, std::uint64_t seed) : sweep_(std::move(sweep)), seed_(seed) {
  for (const SweepEntry& entry : sweep_.entries) {
    if (std::find(kinds_.begin(), kinds_.end(), entry.kind) == kinds_.end()) kinds_.push_back(entry.kind);
  }
}

SampleProblem ProblemDrawer::draw(std::uint64_t index) const {
  RandomStream random(seed_, index);
  const LayerKind& kind = *kinds_[index % kinds_.size()];
  for (int attempt = 0; attempt < kMostTries; ++attempt) {
    SampleProblem sample = draw_once(choose_entry(kind, random), random);
    if (!derive(sample.problem)) continue;
    if (kind.work(sample.problem).weight_elements == 0) sample.optimizer = Optimizer::none;
    if (is_within_limits(sample)) return sample;
  }
  throw bad_use("sweep " + sweep_.name + ": no problem of kind '" + std::string(kind.name) +
                "' fits into its limits in " + std::to_string(kMostTries) + " tries");
}

const SweepEntry& ProblemDrawer::choose_entry(const LayerKind& kind, RandomStream& random) const {
  double sum = 0;
  for (const SweepEntry& entry : sweep_.entries) sum += entry.kind == &kind ? entry.weight : 0;
  double rest = random.unit() * sum;
  const SweepEntry* chosen = nullptr;
  for (const SweepEntry& entry : sweep_.entries) {
    if (entry.kind != &kind) continue;
    chosen = &entry;
    rest -= entry.weight;
    if (rest < 0) break;
  }
  return *chosen;
}

SampleProblem ProblemDrawer::draw_once(const SweepEntry& entry, RandomStream& random) const {
  SampleProblem sample;
  sample.precision = draw_one(sweep_.precisions, random);
  sample.problem.kind = entry.kind;
  sample.problem.sizes = draw_sizes(entry, random);
  sample.problem.activation = draw_one(entry.activations, random);
  sample.problem.dtype = sample.problem.weight_dtype = compute_dtype(sample.precision);
  const Optimizer optimizer = draw_one(sweep_.optimizers, random);
  if (random.unit() < sweep_.forward_share) return sample;
  sample.mode = Mode::training;
  sample.optimizer = optimizer;
  sample.input_gradient = entry.input_gradient;
  return sample;
}

bool ProblemDrawer::is_within_limits(const SampleProblem& sample) const {
  return reason_not_to_measure(sample).empty() && memory_mib(sample) <= sweep_.max_memory_mib &&
         step_gflop(sample) <= sweep_.max_gflop;
}

}  // namespace layersim
