#include "sim/core/parse_number.h"

#include <catch2/catch.hpp>

#include "sim/core/error.h"

using namespace layersim;

TEST_CASE("whole numbers are told apart from what is none and from what is too large") {
  CHECK(parse_count("--n", "9007199254740992", 1) == 9007199254740992);
  for (const char* text : {"9007199254740993", "99999999999999999999"})
    CHECK_THROWS_WITH(parse_count("--n", text, 1),
                      "--n is at most 9007199254740992, not " + std::string(text));
  for (const char* text : {"", "1.5", "1e15", "x", "0", "-99999999999999999999", "3 "})
    CHECK_THROWS_WITH(parse_count("--n", text, 1),
                      "--n takes a whole number of at least 1, not '" + std::string(text) + "'");
}

TEST_CASE("a number that nobody means is refused") {
  CHECK(parse_positive("--ms", "1e15") == 1e15);
  for (const char* text : {"0", "-1", "nan", "inf", "1e308", "2e15", "1e999", "1e-320"})
    CHECK_THROWS_WITH(parse_positive("--ms", text), Catch::Contains("a number above 0, from 1e-15 to 1e15"));
}

TEST_CASE("counts have limits of their own, and so have batches") {
  CHECK(parse_count("--port", "65535", 0, 65535) == 65535);
  CHECK_THROWS_WITH(parse_count("--port", "4294967297", 0, 65535), "--port is at most 65535, not 4294967297");
  CHECK(parse_batch("--batch", "2147483648") == 2147483648);
  CHECK_THROWS_WITH(parse_batch("--batch", "2147483649"), "--batch is at most 2147483648, not 2147483649");
}
