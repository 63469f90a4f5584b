#include <catch2/catch.hpp>

#include "sim/features/conditions.h"

using namespace layersim;

TEST_CASE("conditions are named as on the command line") {
  for (std::size_t i = 0; i < optimizer_names().size(); ++i) {
    const auto optimizer = static_cast<Optimizer>(i);
    CHECK(parse_optimizer(name(optimizer)) == optimizer);
  }
  for (std::size_t i = 0; i < precision_names().size(); ++i) {
    const auto precision = static_cast<Precision>(i);
    CHECK(parse_precision(name(precision)) == precision);
  }
  CHECK(parse_mode("training") == Mode::training);
  CHECK_FALSE(parse_mode("Training"));
}
