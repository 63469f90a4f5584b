#pragma once
// Puts nodes in an order in which they can run.

#include <cstdint>
#include <span>
#include <vector>

namespace layersim {

// Who must run before whom: node i needs the nodes needs[first[i]] ... needs[first[i + 1] - 1]; negative ones
// do not count.
struct Dependencies {
  std::vector<std::size_t> first{0};
  std::vector<std::int32_t> needs;

  [[nodiscard]] std::size_t node_count() const { return first.size() - 1; }
  [[nodiscard]] std::span<const std::int32_t> of(std::size_t node) const {
    return std::span(needs).subspan(first[node], first[node + 1] - first[node]);
  }
};

struct TopologicalOrder {
  std::vector<std::int32_t> order;  // stable: a node stays where it is unless it must run later
  std::int32_t on_cycle =
      -1;  // a node that needs itself, directly or through others; order is then incomplete
};

[[nodiscard]] TopologicalOrder topological_order(const Dependencies& dependencies);

}  // namespace layersim
