#include "sim/timing/repeats.h"

#include <unordered_map>

#include "sim/core/error.h"

namespace layersim {
namespace {

// Time below each scope, its own layers and those of scopes within, and which scopes lose against their
// sibling.
struct ScopeTimes {
  std::vector<double> ms;
  std::vector<bool> loses;
};

ScopeTimes compare_branches(const Graph& graph, std::vector<double> own_ms) {
  ScopeTimes times{std::move(own_ms), std::vector<bool>(graph.scopes.size(), false)};
  std::unordered_map<int, std::size_t> leader;  // of a branch group: the branch that takes longest so far
  for (std::size_t s = graph.scopes.size(); s-- > 1;) {
    const Scope& scope = graph.scopes[s];
    if (scope.parent < 0 || static_cast<std::size_t>(scope.parent) >= s) {
      throw internal_error("scope '" + scope.name + "' stands before its parent");
    }
    double& parent_ms = times.ms[static_cast<std::size_t>(scope.parent)];
    if (scope.dead) continue;
    if (scope.kind != Scope::Kind::branch) {
      parent_ms += times.ms[s];
      continue;
    }
    const auto [entry, is_first] = leader.try_emplace(scope.branch_group, s);
    if (is_first) {
      parent_ms += times.ms[s];
      continue;
    }
    const std::size_t other = entry->second;
    // Where both take the same time the first branch stands for both.
    const bool takes_over = times.ms[s] >= times.ms[other];
    times.loses[takes_over ? other : s] = true;
    if (takes_over) {
      parent_ms += times.ms[s] - times.ms[other];
      entry->second = s;
    }
  }
  return times;
}

}  // namespace

std::vector<double> layer_repeats(const Network& network, std::span<const LayerPrediction> predictions,
                                  Warnings& warnings) {
  const std::size_t count = network.layers.size();
  std::vector<double> repeats(count);
  if (predictions.size() != count) throw internal_error("layers and predictions differ in number");
  std::vector<double> scope_ms(network.graph.scopes.size(), 0);
  for (std::size_t i = 0; i < count; ++i) {
    repeats[i] = network.repeats(network.layers[i]);
    scope_ms.at(static_cast<std::size_t>(network.layers[i].scope)) += repeats[i] * predictions[i].total_ms();
  }
  const auto& scopes = network.graph.scopes;
  if (scopes.size() == 1) return repeats;

  const ScopeTimes times = compare_branches(network.graph, std::move(scope_ms));
  std::vector<bool> taken(scopes.size(), true);
  for (std::size_t s = 1; s < scopes.size(); ++s) {
    taken[s] = !times.loses[s] && taken[static_cast<std::size_t>(scopes[s].parent)];
    if (times.loses[s]) {
      warnings.add("'" + scopes[s].name + "': only the data decides between its branches; the slower one (" +
                   (scopes[s].branch_index == 0 ? "else" : "then") + ") is counted");
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (!taken[static_cast<std::size_t>(network.layers[i].scope)]) repeats[i] = 0;
  }
  return repeats;
}

}  // namespace layersim
