// The error table that all methods share.

#include "sim/methods/common/error_table.h"

#include <catch2/catch.hpp>
#include <limits>

using namespace layersim;

TEST_CASE("an error table groups its rows and has the keys of evaluate") {
  ErrorTable table{{"anchor", "target", "network"}, 2, {"scaled_anchor"}, {}};
  table.rows = {{{"a", "b", "x"}, 10, 11, {9, 12}, {20}},
                {{"a", "b", "y"}, 20, 15, {14, 16}, {20}},
                {{"b", "a", "x"}, 10, 10, {9, 11}, {5}}};
  const Json json = error_table_json(table);
  CHECK(json["overall"]["n"] == 3);
  CHECK(json["overall"]["mape"].get<double>() == Approx((0.1 + 0.25 + 0) / 3));
  CHECK(json["overall"]["coverage90"].get<double>() == Approx(2. / 3));
  REQUIRE(json["groups"].size() == 2);
  CHECK(json["groups"][0]["anchor"] == "a");
  CHECK(json["groups"][0]["n"] == 2);
  CHECK(json["groups"][1]["scaled_anchor"]["mape"].get<double>() == Approx(0.5));
  REQUIRE(json["networks"].size() == 2);
  CHECK(json["networks"][0]["network"] == "x");
  CHECK(json["networks"][0]["mape"].get<double>() == Approx(0.05));
  CHECK(error_table_text(table, 100).find("all") != std::string::npos);
  CHECK(error_table_csv(table).find("a,b,y,20,15,14,16,20") != std::string::npos);
}
