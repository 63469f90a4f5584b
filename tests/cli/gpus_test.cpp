#include <catch2/catch.hpp>

#include "sim/core/json.h"
#include "tests/cli/program.h"

using namespace layersim;
using namespace layersim::tests;

TEST_CASE("gpus lists devices and shows one with its sources") {
  const Json list = run_json({"gpus"})["gpus"];
  CHECK(list.size() > 50);
  CHECK(run_program({"gpus"}).out.find("v100-sxm2") != std::string::npos);
  const Json one = run_json({"gpus", "show", "k80"});
  CHECK(one["key"] == "k80");
  CHECK(one["memory_bandwidth_gb_s"].get<double>() == Approx(240).margin(1));
  CHECK_FALSE(one["facts"]["cores"]["source"].get<std::string>().empty());
  const std::string text = run_program({"gpus", "show", "k80"}).out;
  CHECK(text.find("cores") != std::string::npos);
  CHECK(text.find("\n[1]  ") != std::string::npos);

  REQUIRE(one["measured"].size() >= 4);
  for (const Json& known : one["measured"]) {
    CHECK(known["rows"].get<int>() > 0);
    CHECK(known["held_out_mape"].get<double>() < 0.5);
    CHECK(known["held_out_mape"].get<double>() > 0);
  }
  CHECK(text.find("tf1.10") != std::string::npos);
  CHECK(run_json({"gpus", "show", "b200"})["measured"].empty());
  CHECK(run_program({"gpus", "show", "b200"}).out.find("no measured layers of it") != std::string::npos);
}
