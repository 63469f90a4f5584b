#include "sampler/protocol.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/core/error.h"

namespace layersim {
namespace {

int calls_that_fill(double shortest_ms, double call_ms, int most_calls) {
  if (call_ms * most_calls <= shortest_ms) return most_calls;
  return std::max(1, static_cast<int>(std::ceil(shortest_ms / call_ms)));
}

}  // namespace

Timing summarize_repetitions(std::vector<double> ms, int calls) {
  if (ms.empty()) throw Error(ErrorKind::internal, "no repetition was timed");
  std::sort(ms.begin(), ms.end());
  const auto count = static_cast<double>(ms.size());
  const double mean = std::accumulate(ms.begin(), ms.end(), 0.0) / count;
  const double squares = std::accumulate(ms.begin(), ms.end(), 0.0, [mean](double sum, double value) {
    return sum + (value - mean) * (value - mean);
  });
  const std::size_t half = ms.size() / 2;
  return {.median_ms = ms.size() % 2 == 1 ? ms[half] : (ms[half - 1] + ms[half]) / 2,
          .min_ms = ms.front(),
          .max_ms = ms.back(),
          .std_ms = std::sqrt(squares / count),
          .repetitions = static_cast<int>(ms.size()),
          .calls = calls};
}

Timing time_calls(const TimedCalls& timed_calls, const Protocol& protocol) {
  for (int call = 0; call < protocol.warm_up_calls; ++call) timed_calls(1);
  const int calls = calls_that_fill(protocol.shortest_repetition_ms, timed_calls(1), protocol.most_calls);
  std::vector<double> ms;
  ms.reserve(static_cast<std::size_t>(std::max(protocol.repetitions, 0)));
  for (int repetition = 0; repetition < protocol.repetitions; ++repetition) {
    ms.push_back(timed_calls(calls) / calls);
  }
  return summarize_repetitions(std::move(ms), calls);
}

}  // namespace layersim
