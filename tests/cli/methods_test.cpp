// layersim methods, and what its methods refuse alike.

#include <catch2/catch.hpp>

#include "sim/core/json.h"
#include "tests/cli/program.h"

using namespace layersim;
using namespace layersim::tests;

TEST_CASE("methods: each with what it needs, errors from the files that come along") {
  const Json methods = run_json({"methods"});
  REQUIRE(methods["methods"].size() == 6);
  for (const Json& method : methods["methods"]) {
    if (method["method"] == "roofline") {
      CHECK(method["mape"].is_null());
    } else {
      CHECK(method["mape"].get<double>() > 0);
      CHECK(method["mape"].get<double>() < 0.5);
    }
  }
}

TEST_CASE("the methods refuse what is far from anything measured") {
  const TemporaryFolder folder;
  const std::string profile = folder.file("profile.csv");
  write_file(profile, "operation,time_ms\nConv2D,10\n");
  check_complaint({"transfer", "predict", profile, "--anchor", "t4", "--target", "t4", "--steps", "1"}, 2,
                  "--anchor and --target are the same device, t4");
  check_complaint(
      {"transfer", "scale", "--target", "t4", "--known", "16=1e308", "--known", "256=1e308", "--at", "64"}, 2,
      "--known takes a number above 0");
  check_complaint({"telemetry", "predict", profile, "--anchor", "t4", "--target", "t4", "--batch", "1",
                   "--dataset-size", "1"},
                  2, "the same device");
  const Outcome unknown =
      run_program({"regression", "predict", "resnet18", "--gpu", "t4", "--batch", "64", "--stack", "zz"});
  CHECK(unknown.exit_code == 0);
  CHECK(unknown.err ==
        "warning: --stack zz: no run of it was fitted, so the time is that of other software\n");
}

TEST_CASE("an option that a method's subcommand does not look at is refused") {
  check_complaint({"transfer", "scale", "--target", "t4", "--seed", "2"}, 2,
                  "--seed is for transfer train or evaluate, not for scale");
  check_complaint({"telemetry", "epochs", "gpu.csv", "--anchor", "t4"}, 2,
                  "--anchor is for telemetry predict, not for epochs");
  check_complaint({"hybrid", "train", "runs.csv", "--leave-one-network-out"}, 2,
                  "--leave-one-network-out is for hybrid evaluate, not for train");
  check_complaint({"regression", "evaluate", "runs.csv", "--gpu", "t4"}, 2,
                  "--gpu is for regression predict, not for evaluate");
  const std::string why = "is for a network; a table of runs has a column of it";
  check_complaint({"regression", "predict", "runs.csv", "--batch", "4"}, 2, "--batch " + why);
  check_complaint({"hybrid", "predict", "runs.csv", "--store", "s.h5", "--gpu", "t4"}, 2, "--gpu " + why);
}
