#include "sampler/noise_watch.h"

#include <algorithm>
#include <cmath>

#include "sim/core/error.h"

namespace layersim {
namespace {

constexpr std::size_t kWatched = 40;

std::string percent_text(double share) { return std::to_string(std::lround(100 * share)) + " %"; }

std::string advice() {
  return "; end what else runs there, fix the clock, or measure all the same with --force";
}

}  // namespace

void check_quiet(Backend& backend, const NoiseLimits& limits) {
  SampleProblem probe;
  probe.problem = make_problem(*find_layer_kind("dense"), DType::f32,
                               {{"rows", 256}, {"in_features", 512}, {"out_features", 512}, {"bias", 1}});
  const Protocol protocol{.warm_up_calls = 10, .repetitions = 20, .shortest_repetition_ms = 10};
  const SampleResult result = measure(backend, probe, protocol, limits);
  if (!result.noisy) return;
  throw Error(ErrorKind::check_failed,
              "the machine is too noisy: 20 repetitions of one matrix product scatter by " +
                  percent_text(result.timing.spread()) + " of their median, more than " +
                  percent_text(limits.most_spread) + advice());
}

void NoiseWatch::add(const SampleResult& result, const NoiseLimits& limits) {
  if (!result.skipped.empty()) return;
  noisy_.push_back(result.noisy);
  if (noisy_.size() > kWatched) noisy_.pop_front();
  const auto count = std::count(noisy_.begin(), noisy_.end(), true);
  if (noisy_.size() < kWatched || 2 * count <= static_cast<std::ptrdiff_t>(kWatched)) return;
  throw Error(ErrorKind::check_failed, "the machine has become too noisy: " + std::to_string(count) +
                                           " of the last " + std::to_string(kWatched) +
                                           " layers scatter by more than " +
                                           percent_text(limits.most_spread) + " of their median" + advice());
}

}  // namespace layersim
