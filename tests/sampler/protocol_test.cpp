#include "sampler/protocol.h"

#include <catch2/catch.hpp>

#include "sim/core/error.h"

namespace layersim {
namespace {

TEST_CASE("a repetition has as many calls as fill the shortest time") {
  std::vector<int> asked;
  const Timing timing = time_calls(
      [&](int calls) {
        asked.push_back(calls);
        return 2.0 * calls;
      },
      {.warm_up_calls = 2, .repetitions = 3, .shortest_repetition_ms = 9, .most_calls = 100});
  CHECK(asked == std::vector<int>{1, 1, 1, 5, 5, 5});
  CHECK(timing.median_ms == Approx(2));
  CHECK(timing.calls == 5);
  CHECK(timing.repetitions == 3);
  CHECK(timing.spread() == Approx(0));
}

TEST_CASE("a clock that shows nothing does not ask for endless calls") {
  const Timing timing = time_calls([](int) { return 0.0; }, {.most_calls = 7});
  CHECK(timing.calls == 7);
}

TEST_CASE("the time of a layer is the median of its repetitions") {
  const Timing odd = summarize_repetitions({3, 1, 2, 50, 2.5}, 1);
  CHECK(odd.median_ms == Approx(2.5));
  CHECK(odd.min_ms == Approx(1));
  CHECK(odd.max_ms == Approx(50));
  CHECK(odd.spread() == Approx(49 / 2.5));
  const Timing even = summarize_repetitions({1, 3}, 1);
  CHECK(even.median_ms == Approx(2));
  CHECK(even.std_ms == Approx(1));
  CHECK_THROWS_AS(summarize_repetitions({}, 1), Error);
}

}  // namespace
}  // namespace layersim
