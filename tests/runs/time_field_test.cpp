#include "sim/runs/time_field.h"

#include <catch2/catch.hpp>
#include <string>

#include "sim/core/error.h"

using namespace layersim;

TEST_CASE("0 is the time of a part of a step and not of a step") {
  CHECK(parse_time_ms("0.25", TimeOf::step) == 0.25);
  CHECK(parse_time_ms("1e12", TimeOf::part) == 1e12);
  CHECK(parse_time_ms("0", TimeOf::part) == 0);
  CHECK_THROWS_WITH(parse_time_ms("0", TimeOf::step), "'0' is not a time above zero");
}

TEST_CASE("what is no time is refused, whatever it is the time of") {
  for (const TimeOf what : {TimeOf::step, TimeOf::part}) {
    for (const char* field : {"", "x", "-1", "nan", "inf", "1 ", "1ms", "1e999"}) {
      INFO(field);
      CHECK_THROWS_WITH(parse_time_ms(field, what), Catch::Contains("' is not a time"));
    }
    CHECK_THROWS_WITH(parse_time_ms("1.1e12", what), "'1.1e12' is above 1e12 ms");
    CHECK_THROWS_WITH(parse_time_ms("1e-310", what), "'1e-310' is below 1e-9 ms");
  }
}
