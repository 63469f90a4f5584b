// layersim regression, as a user calls it.

#include <catch2/catch.hpp>

#include "sim/core/json.h"
#include "tests/cli/program.h"

using namespace layersim;
using namespace layersim::tests;

namespace {

// 3 ms and 0.5 ms a sample on a t4, half as long on a v100-sxm2.
std::string run_rows() {
  std::string text = "gpu,model,batch,time_ms\n";
  for (const char* network : {"a", "b", "c"}) {
    for (int batch = 1; batch <= 16; ++batch) {
      text += std::string("t4,") + network + ',' + std::to_string(batch) + ',' +
              std::to_string(3 + 0.5 * batch) + '\n';
      text += std::string("v100-sxm2,") + network + ',' + std::to_string(batch) + ',' +
              std::to_string(1.5 + 0.25 * batch) + '\n';
    }
  }
  return text;
}

}  // namespace

TEST_CASE("regression: train, predict, evaluate") {
  const TemporaryFolder folder;
  const std::string rows = folder.file("rows.csv");
  const std::string predictor = folder.file("regression.h5");
  write_file(rows, run_rows());
  const Json trained = run_json({"regression", "train", rows, "-o", predictor});
  CHECK(trained["left_out"] == "network");
  CHECK(trained["left_out_mape"].get<double>() < 0.01);

  const std::string asked = folder.file("asked.csv");
  write_file(asked, "gpu,model,batch\nt4,d,10\n");
  const Json predicted = run_json({"regression", "predict", asked, "--predictor", predictor});
  CHECK(predicted["rows"][0]["batch_ms"].get<double>() == Approx(8).epsilon(0.02));

  const Json seen = run_json({"regression", "evaluate", rows, "--predictor", predictor});
  CHECK(seen["overall"]["n"] == 96);
  CHECK(seen["groups"].size() == 2);
  CHECK(seen["networks"].size() == 3);
  const Json larger = run_json({"regression", "evaluate", rows, "--extrapolate", "batch"});
  CHECK(larger["left_out"] == "batch");
  CHECK(larger["overall"]["n"] == 18);
  CHECK(larger["overall"]["mape"].get<double>() < 0.02);

  check_complaint({"regression", "evaluate", rows, "--held-out", "--extrapolate", "batch"}, 2,
                  "exclude each other");
  check_complaint({"regression", "evaluate", rows, "--extrapolate", "gpus"}, 2, "no feature 'n_gpus'");
  check_complaint({"regression", "train", rows}, 2, "needs -o");
  const std::string few = folder.file("few.csv");
  write_file(few, "gpu,model,batch,time_ms\nt4,a,1,1\nt4,a,2,2\n");
  check_complaint({"regression", "train", few, "-o", folder.file("few.h5")}, 3,
                  "few.csv: a regression needs 10 rows, not 2");
  check_complaint({"regression", "predict", "resnet18", "--gpu", "t4"}, 2, "--batch");
}

TEST_CASE(
    "regression: far outside what was fitted the time grows with the batch, and warnings say what is new") {
  const auto predict = [](const char* gpu, int batch) {
    return run_program(
        {"regression", "predict", "resnet18", "--gpu", gpu, "--batch", std::to_string(batch), "--json", "-"});
  };
  for (const char* gpu : {"h100-sxm", "mi300x", "t4"}) {
    double before_ms = 0;
    for (const int batch : {512, 4096, 32768, 1000000000}) {
      const Outcome outcome = predict(gpu, batch);
      REQUIRE(outcome.exit_code == 0);
      const Json row = Json::parse(outcome.out)["rows"][0];
      CHECK(row["batch_ms"].get<double>() > before_ms);
      before_ms = row["batch_ms"].get<double>();
      CHECK(row["new_gpu"] == (std::string(gpu) != "t4"));
    }
  }
  CHECK(predict("h100-sxm", 64).err.find("outside what was fitted: the GPU h100-sxm") != std::string::npos);
  const auto relative_width = [&](const char* gpu) {
    const Json row = Json::parse(predict(gpu, 64).out)["rows"][0];
    return row["batch_ms_high"].get<double>() / row["batch_ms_low"].get<double>();
  };
  CHECK(relative_width("h100-sxm") > relative_width("t4"));
}

namespace {

// Times of two networks on two GPUs, which stand for any.
std::string zoo_runs(const std::string& stack, const std::string& odd_stack) {
  std::string text = "network,gpu,stack,batch,measured_ms\n";
  for (const char* gpu : {"t4", "m60"}) {
    for (int batch = 1; batch <= 16; batch *= 2) {
      text += std::string("alexnet,") + gpu + ',' + stack + ',' + std::to_string(batch) + ',' +
              std::to_string(5 + 2 * batch) + '\n';
      text += std::string("vgg11,") + gpu + ',' + (batch == 4 ? odd_stack : stack) + ',' +
              std::to_string(batch) + ',' + std::to_string(7 + 6 * batch) + '\n';
    }
  }
  return text;
}

}  // namespace

TEST_CASE("regression: stacks that nobody knows are named once, with their rows") {
  const TemporaryFolder folder;
  const std::string runs = folder.file("runs.csv");
  const std::string predictor = folder.file("regression.h5");
  write_file(runs, zoo_runs("tf2.5", "tf25"));
  const Outcome trained = run_program({"regression", "train", runs, "-o", predictor});
  REQUIRE(trained.exit_code == 0);
  CHECK(trained.err ==
        "warning: " + runs +
            ": stack tf25 (lines 7 and 17): `predict` knows none of that name; it is learned as one "
            "of its own\n");

  const auto warnings_of = [&](const std::string& rows) {
    write_file(runs, "network,gpu,stack,batch\n" + rows);
    return run_json({"regression", "predict", runs, "--predictor", predictor})["warnings"];
  };
  CHECK(warnings_of("vgg11,t4,tf2.5,4\nvgg11,t4,,4\nvgg11,t4,tf25,4\n").empty());
  const Json warnings = warnings_of("vgg11,t4,zz,4\nvgg11,t4,tf2.5,4\nvgg11,t4,yy,4\nvgg11,t4,zz,8\n");
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0] ==
        runs +
            ": stack yy (line 4), zz (lines 2 and 5): no run of it was fitted, so the times are "
            "those of other software");

  write_file(runs, zoo_runs("tf2.5", "tf2.5"));
  CHECK(run_program({"regression", "train", runs, "-o", predictor}).err.empty());
  CHECK(warnings_of("vgg11,t4,tf2.5,4\n").empty());
  CHECK(warnings_of("vgg11,t4,zz,4\n").size() == 1);

  write_file(runs, zoo_runs("tf2.5", "zz"));
  const Outcome evaluated = run_program({"regression", "evaluate", runs, "--predictor", predictor});
  CHECK(evaluated.exit_code == 0);
  CHECK(
      evaluated.err ==
      "warning: " + runs +
          ": stack zz (lines 7 and 17): no run of it was fitted, so the times are those of other software\n");
}

TEST_CASE("regression: a precision and a mode that were not fitted are named beside those that were") {
  const TemporaryFolder folder;
  const std::string runs = folder.file("runs.csv");
  const std::string predictor = folder.file("regression.h5");
  write_file(runs, zoo_runs("tf2.5", "tf2.5"));
  REQUIRE(run_program({"regression", "train", runs, "-o", predictor}).exit_code == 0);
  const auto warnings_of = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"regression", "predict"});
    arguments.insert(arguments.end(), {"--predictor", predictor});
    return run_json(arguments)["warnings"].dump();
  };
  const std::string why = ": no such run was fitted: extrapolated from ";
  const std::vector<std::string> network{"vgg11", "--gpu", "t4", "--batch", "4", "--stack", "tf2.5"};
  CHECK(warnings_of(network) == "[]");
  std::vector<std::string> half(network);
  half.insert(half.end(), {"--precision", "fp16", "--optimizer", "adam"});
  CHECK_THAT(warnings_of(half), Catch::Contains("\"vgg11: precision fp16" + why + "fp32\"") &&
                                    Catch::Contains("\"vgg11: optimizer adam" + why + "sgd\""));
  write_file(runs,
             "network,gpu,stack,batch,precision,mode\nvgg11,t4,tf2.5,4,,\nvgg11,t4,tf2.5,4,fp16,forward\n");
  const std::string of_table = warnings_of({runs});
  CHECK_THAT(of_table, Catch::Contains(runs + ": precision fp16 (line 3)" + why + "fp32\""));
  CHECK_THAT(of_table, Catch::Contains(runs + ": mode forward (line 3)" + why + "training\""));
}

TEST_CASE("regression: a table of runs that lacks a column is told which") {
  const TemporaryFolder folder;
  const std::string runs = folder.file("runs.csv");
  const std::string output = folder.file("regression.h5");
  write_file(runs, "network,gpu,measured_ms\nalexnet,t4,5\n");
  check_complaint({"regression", "train", runs, "-o", output}, 3, runs + ": has no column 'batch'");
  write_file(runs, "network,batch,measured_ms\nalexnet,8,5\n");
  check_complaint({"regression", "train", runs, "-o", output}, 3, runs + ": has no column 'gpu'");
  check_complaint({"regression", "evaluate", runs}, 3, runs + ": has no column 'gpu'");
  check_complaint({"regression", "evaluate", runs, "--held-out"}, 3, runs + ": has no column 'gpu'");

  const std::string rows = folder.file("rows.csv");
  write_file(rows, run_rows());
  REQUIRE(run_program({"regression", "train", rows, "-o", output}).exit_code == 0);
  write_file(rows, "model,batch,time_ms\na,8,5\n");
  check_complaint({"regression", "evaluate", rows, "--predictor", output}, 3, rows + ": has no column 'gpu'");
}
