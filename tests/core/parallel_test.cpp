#include "sim/core/parallel.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <stdexcept>
#include <vector>

using namespace layersim;

TEST_CASE("each body runs once, on any number of threads") {
  for (const int threads : {0, 1, 2, 7}) {
    std::vector<std::atomic<int>> runs(100);
    parallel_for(runs.size(), threads, [&](std::size_t i) { ++runs[i]; });
    for (const auto& count : runs) CHECK(count == 1);
  }
  parallel_for(0, 4, [](std::size_t) { FAIL("there is nothing to run"); });
}

TEST_CASE("what a body throws comes out, and the rest is left out") {
  std::atomic<int> runs{0};
  const auto body = [&](std::size_t i) {
    ++runs;
    if (i == 3) throw std::runtime_error("third");
  };
  CHECK_THROWS_WITH(parallel_for(1000, 1, body), "third");
  CHECK(runs == 4);
  CHECK_THROWS_WITH(parallel_for(1000, 3, body), "third");
}
