#include <catch2/catch.hpp>

#include "sim/core/json.h"
#include "tests/cli/program.h"
#include "tests/cli/small_network.h"

using namespace layersim;
using namespace layersim::tests;

TEST_CASE("show gives the decomposition without times") {
  const TemporaryFolder folder;
  const std::string file = folder.file("small.txt");
  write_file(file, kSmallNetwork);
  const Json json = run_json({"show", file, "--batch", "2"});
  CHECK(json["params"] == 216 + 81920);
  CHECK(json["macs"] == 2 * (216 * 1024 + 81920));
  CHECK(json["weight_bytes"] == 4 * (216 + 81920));
  CHECK(json["inputs"][0]["shape"] == Json::array({2, 3, 32, 32}));
  CHECK(json["outputs"][0]["shape"] == Json::array({2, 10}));
  CHECK(json["unmodelled"].empty());
  CHECK_FALSE(json["layers"][0].contains("forward_ms"));
  CHECK(run_program({"show", file}).out.find("216") != std::string::npos);
}
