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
