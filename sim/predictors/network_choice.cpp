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

const Device& NetworkChooser::known_device(const std::string& key) {
  auto found = known_devices_.find(key);
  if (found == known_devices_.end()) found = known_devices_.emplace(key, devices_.find(key)).first;
  return found->second;
}

NetworkChoice NetworkChooser::choose(std::string_view family, const Device& device, std::string_view stack) {
  bool stack_is_known = false;
  bool device_is_known = false;
  for (const TrainedNetwork& network : predictor_.networks) {
    if (network.family != family) continue;
    stack_is_known = stack_is_known || (!stack.empty() && knows(network, stack));
  }
  const auto allowed = [&](const KnownRows& known) { return !stack_is_known || known.stack == stack; };
  for (const TrainedNetwork& network : predictor_.networks) {
    if (network.family != family) continue;
    for (const KnownRows& known : network.known) {
      device_is_known = device_is_known || (allowed(known) && known.gpu == device.key);
    }
  }
  NetworkChoice choice;
  double best_distance = std::numeric_limits<double>::max();
  std::int64_t best_rows = 0;
  for (const TrainedNetwork& network : predictor_.networks) {
    if (network.family != family) continue;
    for (const KnownRows& known : network.known) {
      if (!allowed(known) || (device_is_known && known.gpu != device.key)) continue;
      const double d = device_is_known ? 0 : distance(known_device(known.gpu), device);
      const bool more_special =
          choice.network != nullptr && network.stacks.size() < choice.network->stacks.size();
      if (d > best_distance || (d == best_distance && known.rows <= best_rows && !more_special)) continue;
      best_distance = d;
      best_rows = known.rows;
      choice = {&network, known.stack, device_is_known};
    }
  }
  return choice;
}

}  // namespace layersim
