#include "sim/web/api_parameters.h"

#include <array>
#include <catch2/catch.hpp>

#include "sim/core/error.h"

using namespace layersim;
using Catch::Matchers::Contains;

TEST_CASE("parameters of a query and of a JSON body read the same") {
  const auto check = [](ApiParameters parameters) {
    CHECK(parameters.required("gpu") == "k80");
    CHECK(parameters.count("batch", 1, 100) == 64);
    CHECK(parameters.positive("rate") == Approx(2.5));
    CHECK_FALSE(parameters.text("mode").has_value());
    CHECK_NOTHROW(parameters.check_all_read());
  };
  check(ApiParameters({{"gpu", "k80"}, {"batch", "64"}, {"rate", "2.5"}, {"mode", ""}}, ""));
  check(ApiParameters({}, R"({"gpu": "k80", "batch": 64, "rate": 2.5, "mode": null})"));
}

TEST_CASE("wrong parameters are named") {
  ApiParameters parameters({{"batch", "many"}, {"mode", "sideways"}, {"bach", "1"}, {"big", "1000"}}, "");
  constexpr std::array<std::string_view, 2> kModes{"forward", "training"};
  CHECK_THROWS_WITH(parameters.required("gpu"), Contains("'gpu' is missing"));
  CHECK_THROWS_WITH(parameters.count("batch", 1, 100), Contains("'batch'"));
  CHECK_THROWS_WITH(parameters.count("big", 1, 100), Contains("'big' is 100 at most"));
  CHECK_THROWS_WITH(parameters.choice("mode", kModes), Contains("'mode' is none of forward, training"));
  CHECK_THROWS_WITH(parameters.check_all_read(), Contains("unknown parameter 'bach'"));
}

TEST_CASE("a parameter is given once, in the query or in the body") {
  CHECK_THROWS_WITH(ApiParameters({{"gpu", "k80"}, {"batch", "1"}, {"gpu", "t4"}}, ""),
                    "'gpu' is given more than once");
  CHECK_THROWS_WITH(ApiParameters({}, R"({"gpu": "k80", "batch": 1, "gpu": "t4"})"),
                    "'gpu' is given more than once");
  CHECK_THROWS_WITH(ApiParameters({{"batch", "1"}}, R"({"gpu": "k80"})"),
                    "the body has all parameters: 'batch' of the query belongs there");
}

TEST_CASE("bodies that are no plain object are refused") {
  for (const std::string& body : {std::string("["), std::string("[1]"), std::string("3"),
                                  std::string(R"({"a": {"b": 1}})"), std::string(R"({"a": [1]})"),
                                  std::string(100'000, '['), R"({"a": ")" + std::string(5000, 'x') + "\"}"}) {
    INFO(body.substr(0, 20));
    CHECK_THROWS_AS(ApiParameters({}, body), Error);
  }
}
