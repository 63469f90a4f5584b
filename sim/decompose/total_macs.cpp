#include <algorithm>
#include <map>

#include "sim/decompose/lower.h"

namespace layersim {

// From the innermost scopes outward: a loop multiplies, branches of one If give the range of their smallest
// and largest.
MacRange total_macs(const Graph& graph, const std::vector<Layer>& layers) {
  std::vector<MacRange> scopes(graph.scopes.size());
  for (const Layer& layer : layers) {
    auto& scope = scopes.at(static_cast<std::size_t>(layer.scope));
    scope.low += layer.work.forward.macs;
    scope.high += layer.work.forward.macs;
  }
  std::map<int, int> living_branches;  // by group
  for (const Scope& scope : graph.scopes) living_branches[scope.branch_group] += scope.dead ? 0 : 1;
  std::map<int, MacRange> open_groups;  // the branch that was met first
  for (std::size_t i = graph.scopes.size(); i-- > 1;) {
    const Scope& scope = graph.scopes[i];
    if (scope.dead || scope.parent < 0 || static_cast<std::size_t>(scope.parent) >= i) continue;
    MacRange& parent = scopes[static_cast<std::size_t>(scope.parent)];
    if (scope.kind == Scope::Kind::loop) {
      const auto trips = static_cast<double>(scope.trip_count.value_or(1));
      parent.low += scopes[i].low * trips;
      parent.high += scopes[i].high * trips;
      continue;
    }
    const auto waiting = open_groups.find(scope.branch_group);
    if (living_branches[scope.branch_group] < 2) {
      parent.low += scopes[i].low;
      parent.high += scopes[i].high;
    } else if (waiting == open_groups.end()) {
      open_groups.emplace(scope.branch_group, scopes[i]);
    } else {
      parent.low += std::min(scopes[i].low, waiting->second.low);
      parent.high += std::max(scopes[i].high, waiting->second.high);
    }
  }
  return scopes.empty() ? MacRange{} : scopes.front();
}

}  // namespace layersim
