#include "sim/import/topological_order.h"

#include <functional>
#include <queue>

namespace layersim {
namespace {

// A node that is left over after sorting may only lie behind a cycle: walk back among those left until one
// repeats.
std::int32_t find_on_cycle(const Dependencies& dependencies, const std::vector<std::int32_t>& waiting) {
  std::size_t node = 0;
  while (waiting[node] == 0) ++node;
  std::vector<bool> seen(waiting.size());
  while (!seen[node]) {
    seen[node] = true;
    for (const std::int32_t need : dependencies.of(node)) {
      if (need >= 0 && waiting[static_cast<std::size_t>(need)] > 0) {
        node = static_cast<std::size_t>(need);
        break;
      }
    }
  }
  return static_cast<std::int32_t>(node);
}

}  // namespace

TopologicalOrder topological_order(const Dependencies& dependencies) {
  const std::size_t count = dependencies.node_count();
  std::vector<std::int32_t> waiting(count);  // for how many others
  std::vector<std::size_t> first_user(count + 1);
  for (std::size_t node = 0; node < count; ++node) {
    for (const std::int32_t need : dependencies.of(node)) {
      if (need < 0) continue;
      ++waiting[node];
      ++first_user[static_cast<std::size_t>(need) + 1];
    }
  }
  for (std::size_t node = 0; node < count; ++node) first_user[node + 1] += first_user[node];
  std::vector<std::int32_t> users(first_user[count]);
  std::vector<std::size_t> next_user = first_user;
  for (std::size_t node = 0; node < count; ++node) {
    for (const std::int32_t need : dependencies.of(node)) {
      if (need >= 0) users[next_user[static_cast<std::size_t>(need)]++] = static_cast<std::int32_t>(node);
    }
  }

  std::priority_queue<std::int32_t, std::vector<std::int32_t>, std::greater<>> ready;
  for (std::size_t node = 0; node < count; ++node) {
    if (waiting[node] == 0) ready.push(static_cast<std::int32_t>(node));
  }
  TopologicalOrder result;
  result.order.reserve(count);
  while (!ready.empty()) {
    const std::int32_t node = ready.top();
    ready.pop();
    result.order.push_back(node);
    const auto index = static_cast<std::size_t>(node);
    for (std::size_t i = first_user[index]; i < first_user[index + 1]; ++i) {
      if (--waiting[static_cast<std::size_t>(users[i])] == 0) ready.push(users[i]);
    }
  }
  if (result.order.size() < count) result.on_cycle = find_on_cycle(dependencies, waiting);
  return result;
}

}  // namespace layersim
