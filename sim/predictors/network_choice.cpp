#include "sim/predictors/network_choice.h"

#include <algorithm>
#include <limits>

#include "sim/predictors/run_stack.h"

namespace layersim {
namespace {

bool knows(const TrainedNetwork& network, std::string_view stack) {
  return std::find(network.stacks.begin(), network.stacks.end(), stack) != network.stacks.end();
}

}  // namespace

const Device& NetworkChooser::known_device(const std::string& key) {
  const std::lock_guard lock(mutex_);
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
      const double d = device_is_known ? 0 : device_distance(known_device(known.gpu), device);
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
