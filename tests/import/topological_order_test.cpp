#include "sim/import/topological_order.h"

#include <catch2/catch.hpp>

using namespace layersim;

namespace {

Dependencies dependencies(const std::vector<std::vector<std::int32_t>>& needs) {
  Dependencies result;
  for (const auto& node : needs) {
    result.needs.insert(result.needs.end(), node.begin(), node.end());
    result.first.push_back(result.needs.size());
  }
  return result;
}

}  // namespace

TEST_CASE("sorting leaves nodes where they are when they can run there") {
  CHECK(topological_order(dependencies({{}, {0}, {-1}, {0, 1}})).order ==
        std::vector<std::int32_t>{0, 1, 2, 3});
}

TEST_CASE("a node that comes too early moves behind what it needs") {
  const auto sorted = topological_order(dependencies({{2}, {}, {1}, {0}}));
  CHECK(sorted.order == std::vector<std::int32_t>{1, 2, 0, 3});
  CHECK(sorted.on_cycle == -1);
}

TEST_CASE("the node named lies on the cycle, not behind it") {
  // 0 needs 1, 1 and 2 need each other
  const auto sorted = topological_order(dependencies({{1}, {2}, {1}}));
  CHECK((sorted.on_cycle == 1 || sorted.on_cycle == 2));
  CHECK(topological_order(dependencies({{0}})).on_cycle == 0);
}
