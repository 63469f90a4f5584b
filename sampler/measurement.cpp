#include "sampler/measurement.h"

#include <algorithm>
#include <vector>

namespace layersim {
namespace {

struct CallGroup {
  int calls;
  MeasuredStep time;
};

// Of one call, over the repetitions, which are the last groups.
double median_of(const std::vector<CallGroup>& groups, int repetitions, double MeasuredStep::*part) {
  std::vector<double> ms;
  for (std::size_t i = groups.size() - static_cast<std::size_t>(repetitions); i < groups.size(); ++i) {
    ms.push_back(groups[i].time.*part / groups[i].calls);
  }
  return summarize_repetitions(std::move(ms), 1).median_ms;
}

void measure_once(PreparedLayer& layer, const Protocol& protocol, SampleResult& result) {
  std::vector<CallGroup> groups;
  result.timing = time_calls(
      [&](int calls) {
        groups.push_back({calls, layer.run(calls)});
        return groups.back().time.total_ms;
      },
      protocol);
  for (double MeasuredStep::*part : {&MeasuredStep::total_ms, &MeasuredStep::forward_ms,
                                     &MeasuredStep::backward_ms, &MeasuredStep::update_ms}) {
    result.parts.*part = median_of(groups, protocol.repetitions, part);
  }
}

// A host that runs out of memory does not say so but kills the process.
void check_memory(const Backend& backend, const SampleProblem& sample) {
  constexpr double kUsable = 0.9;
  if (memory_mib(sample) > kUsable * backend.facts().memory_mib) throw CannotMeasure("out of memory");
}

}  // namespace

SampleResult measure(Backend& backend, const SampleProblem& sample, const Protocol& protocol,
                     const NoiseLimits& limits) {
  SampleResult quietest{.sample = sample};
  try {
    check_memory(backend, sample);
    const auto layer = backend.prepare(sample);
    for (int attempt = 0; attempt < limits.attempts; ++attempt) {
      SampleResult result{.sample = sample};
      measure_once(*layer, protocol, result);
      if (attempt == 0 || result.timing.spread() < quietest.timing.spread()) quietest = result;
      if (quietest.timing.spread() <= limits.most_spread) break;
    }
    quietest.noisy = quietest.timing.spread() > limits.most_spread;
  } catch (const CannotMeasure& reason) {
    quietest = {.sample = sample, .skipped = reason.what()};
  }
  return quietest;
}

}  // namespace layersim
