// layersim methods, and what its methods refuse alike.

#include <catch2/catch.hpp>
#include <map>

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

TEST_CASE("the file of another method is told, with the command that takes it") {
  const TemporaryFolder folder;
  const std::string store = folder.file("conv.csv");
  write_file(store,
             "gpu,mode,batch,input_size,in_channels,out_channels,kernel,stride,pad,time_ms\n"
             "t4,forward,1,8,3,4,3,1,0,1\n");
  const auto shipped = [](const std::string& method) {
    return std::string(LAYERSIM_SOURCE_DIR) + "/configs/predictors/" + method + ".h5";
  };
  const auto told = [&](const std::vector<std::string>& arguments, const std::string& method,
                        const std::string& command) {
    check_complaint(arguments, 3,
                    shipped(method) + ": is a predictor of the method " + method + ": `" + command +
                        " --predictor` takes it");
  };
  for (const std::string method : {"hybrid", "regression", "telemetry", "transfer"}) {
    const std::string command = method + " predict";
    told({"lenet5", "--gpu", "t4", "--predictor", shipped(method)}, method, command);
    told({shipped(method), "--gpu", "t4"}, method, command);
    told({"train", shipped(method), "-o", folder.file("p.h5")}, method, command);
    told({"data", "info", shipped(method)}, method, command);
    told({"transfer", "profile", shipped(method)}, method, command);
  }
  told({"hybrid", "predict", "lenet5", "--gpu", "t4", "--batches", "4", "--store", store, "--predictor",
        shipped("layerwise")},
       "layerwise", "predict");
  told({"hybrid", "predict", "lenet5", "--gpu", "t4", "--batches", "4", "--store", shipped("layerwise")},
       "layerwise", "predict");
  told({"regression", "predict", "lenet5", "--gpu", "t4", "--batch", "4", "--predictor", shipped("hybrid")},
       "hybrid", "hybrid predict");
}

TEST_CASE("a network that is none is told alike by all commands") {
  const TemporaryFolder folder;
  const std::string out = folder.file("out.csv");
  const auto check = [&](const std::string& name, int exit_code, const std::string& why) {
    for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
             {"predict", name, "--gpu", "t4"},
             {"show", name},
             {"compare", name, "--gpus", "t4"},
             {"scale", name, "--gpu", "t4", "--batch-per-gpu", "4"},
             {"measure", name},
             {"hybrid", "predict", name, "--gpu", "t4", "--batches", "4", "--store", out, "--on-missing",
              "true"},
             {"hybrid", "missing", name, "--gpu", "t4", "--batches", "4", "--store", out, "-o", out + ".csv"},
             {"regression", "predict", name, "--gpu", "t4", "--batch", "4"}})
      check_complaint(arguments, exit_code, "layersim: " + why);
  };
  check("nonet", 2, "'nonet' is neither a file nor a network of the zoo; the nearest are unet or lenet5\n");
  check("nonet.onnx", 3, "nonet.onnx: no such file\n");
  check(folder.path().string(), 3, folder.path().string() + ": is a folder, not a network file\n");
}

TEST_CASE("a network of which nothing is left to run has no time, in any method") {
  const TemporaryFolder folder;
  const std::string network = folder.file("empty.txt");
  write_file(network, "network empty opset 17\ninput x f32 [N, 4]\noutput x\n");
  const std::string store = folder.file("store.csv");
  const std::string why = network + ": the network has no layers";
  check_complaint({network, "--gpu", "t4"}, 4, why);
  check_complaint({"regression", "predict", network, "--gpu", "t4", "--batch", "4"}, 4, why);
  check_complaint({"hybrid", "predict", network, "--gpu", "t4", "--batches", "4", "--store", store,
                   "--on-missing", "true"},
                  4, why);
  const std::string runs = folder.file("runs.csv");
  write_file(runs, "network,gpu,batch,measured_ms\nempty.txt,t4,4,1\n");
  const std::string why_row = runs + ": line 2: empty";
  check_complaint({"regression", "predict", runs}, 4, why_row);
  check_complaint({"hybrid", "missing", runs, "--store", store, "-o", folder.file("problems.csv")}, 4,
                  why_row);
}

TEST_CASE("times of a regression that nobody measures are refused, and of none that it tells") {
  const TemporaryFolder folder;
  const std::string table = folder.file("table.csv");
  const std::string predictor = folder.file("r.h5");
  std::string rows = "a,time_ms\n";
  for (int i = 1; i <= 12; ++i) rows += std::to_string(i) + ',' + std::to_string(3 * i) + '\n';
  for (const auto& [time_ms, why] : std::map<std::string, std::string>{
           {"0", "not above zero"}, {"1e-310", "below 1e-9 ms"}, {"1e13", "above 1e12 ms"}}) {
    write_file(table, rows + "13," + time_ms + '\n');
    check_complaint({"regression", "train", table, "-o", predictor}, 3,
                    table + ": line 14: column 'time_ms': is " + why);
  }
  write_file(table, rows);
  CHECK(run_program({"regression", "train", table, "-o", predictor}).exit_code == 0);
  write_file(table, "a\n1e308\n");
  check_complaint({"regression", "predict", table, "--predictor", predictor}, 4,
                  table + ": line 2: the formula gives no time, so far outside what was fitted are a");
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
