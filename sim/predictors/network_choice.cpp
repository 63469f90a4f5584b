#include "sim/predictors/network_choice.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace layersim {
namespace {

// 0: the same; devices of another technology are farther than any of the same.
double distance(const Device& a, const Device& b) {
  if (a.key == b.key) return 0;
  const double peak = std::log(a.peak_fp32_gflops / b.peak_fp32_gflops);
  const double bandwidth = std::log(a.memory_bandwidth_gb_s / b.memory_bandwidth_gb_s);
  const double technology = a.technology == b.technology ? 0 : a.manufacturer == b.manufacturer ? 10 : 20;
  return 1e-3 + std::abs(peak) + std::abs(bandwidth) + technology;
}

bool knows(const TrainedNetwork& network, std::string_view stack) {
  return std::find(network.stacks.begin(), network.stacks.end(), stack) != network.stacks.end();
}

}  // namespace

NetworkChoice choose_network(const PredictorFile& predictor, std::string_view family, const Device& device,
                             std::string_view stack, const std::vector<Device>& known_devices) {
  const bool stack_is_known =
      !stack.empty() &&
      std::any_of(predictor.networks.begin(), predictor.networks.end(),
                  [&](const auto& network) { return network.family == family && knows(network, stack); });
  NetworkChoice choice;
  double best_distance = std::numeric_limits<double>::max();
  std::int64_t best_rows = 0;
  for (const TrainedNetwork& network : predictor.networks) {
    if (network.family != family) continue;
    for (const KnownRows& known : network.known) {
      if (stack_is_known && known.stack != stack) continue;
      const auto found = std::find_if(known_devices.begin(), known_devices.end(),
                                      [&](const Device& candidate) { return candidate.key == known.gpu; });
      if (found == known_devices.end()) continue;
      const double d = distance(*found, device);
      const bool fewer_stacks =
          choice.network != nullptr && network.stacks.size() < choice.network->stacks.size();
      const bool better =
          d < best_distance || (d == best_distance && (known.rows > best_rows || fewer_stacks));
      if (!better) continue;
      best_distance = d;
      best_rows = known.rows;
      choice = {&network, known.stack, known.gpu == device.key};
    }
  }
  return choice;
}

}  // namespace layersim
