#include <catch2/catch.hpp>
#include <filesystem>

#include "sim/core/json.h"
#include "tests/cli/program.h"

using namespace layersim;
using namespace layersim::tests;

TEST_CASE("zoo lists networks and writes one that reads back the same") {
  CHECK(run_json({"zoo"})["networks"].size() > 20);
  CHECK(run_program({"zoo"}).out.find("vgg16") != std::string::npos);
  const TemporaryFolder folder;
  const std::string file = folder.file("vgg16.onnx");
  CHECK(run_program({"zoo", "vgg16", "-o", file}).exit_code == 0);
  CHECK(std::filesystem::file_size(file) < 1'000'000);
  const Json from_file = run_json({"show", file, "--batch", "2"});
  const Json from_zoo = run_json({"show", "vgg16", "--batch", "2"});
  CHECK(from_file["params"] == from_zoo["params"]);
  CHECK(from_file["macs"] == from_zoo["macs"]);
  CHECK(from_file["layers"].size() == from_zoo["layers"].size());
}
