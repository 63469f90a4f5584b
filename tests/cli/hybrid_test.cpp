// layersim hybrid, as a user calls it, and what it has in common with regression.

#include <catch2/catch.hpp>
#include <filesystem>

#include "sim/core/json.h"
#include "tests/cli/program.h"

using namespace layersim;
using namespace layersim::tests;

TEST_CASE("hybrid: missing problems, measured by the user's command, stay in the store") {
  const TemporaryFolder folder;
  const std::string store = folder.file("store.csv");
  const std::string problems = folder.file("problems.csv");
  const std::vector<std::string> net{"alexnet", "--gpu", "t4", "--batches", "4,8", "--store", store};
  const auto with = [&](std::vector<std::string> arguments, const std::vector<std::string>& more) {
    arguments.insert(arguments.end(), net.begin(), net.end());
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  };
  const Json missing = run_json(with({"hybrid", "missing"}, {"-o", problems}));
  CHECK(missing["problems"] == 10);
  CHECK(missing["convolutions"]["stored"] == 0);
  CHECK(line_count(read_text(problems)) == 11);

  // Stands for a machine that measures: every convolution takes 2 ms forward and 5 ms backward.
  const std::string measure =
      "sed -e '1s/$/,gpu,framework,forward_ms,backward_ms,time_ms/' -e '2,$s/$/,t4,cudnn,2,5,7/' "
      "\"$LAYERSIM_PROBLEMS\" > \"$LAYERSIM_STORE\"; echo measured";
  const Json predicted = run_json(with({"hybrid", "predict"}, {"--on-missing", measure}));
  CHECK(predicted["convolutions"]["stored"] == 10);
  CHECK(predicted["convolutions"]["predicted"] == 0);
  CHECK(predicted["rows"][0]["conv_ms"].get<double>() == Approx(4 * 7 + 2 + 2.5));
  CHECK(predicted["rows"][0]["batch_ms"].get<double>() > predicted["rows"][0]["conv_ms"].get<double>());
  CHECK(std::filesystem::exists(store));
  const Json none = run_json(with({"hybrid", "missing"}, {"-o", problems}));
  CHECK(none["problems"] == 0);

  const std::string empty = folder.file("empty.csv");
  check_complaint({"hybrid", "predict", "alexnet", "--gpu", "t4", "--batches", "4", "--store", empty}, 3,
                  "empty.csv");
  check_complaint({"hybrid", "predict", "alexnet", "--gpu", "t4", "--batches", "4", "--store", empty,
                   "--on-missing", "exit 7"},
                  2, "ended with exit code 7");
  check_complaint({"hybrid", "predict", "alexnet", "--gpu", "t4", "--batches", "4"}, 2, "--store");
  check_complaint({"hybrid", "predict", "alexnet", "--gpu", "t4", "--store", store}, 2, "--batches");
}

TEST_CASE("hybrid and regression: runs on a device of one's own") {
  const TemporaryFolder folder;
  const std::string gpu = folder.file("my-gpu.json");
  std::string sheet = read_text(std::string(LAYERSIM_SOURCE_DIR) + "/configs/gpus/t4.json");
  sheet.replace(sheet.find("\"t4\""), 4, "\"my-gpu\"");
  write_file(gpu, sheet);
  const std::string runs = folder.file("runs.csv");
  write_file(runs, "network,gpu,batch,measured_ms\nalexnet,my-gpu,4,50\nalexnet,my-gpu,8,90\n");
  const std::vector<std::string> missing{
      "hybrid", "missing", runs, "--store", folder.file("none.h5"), "-o", folder.file("problems.csv")};
  check_complaint(missing, 3, "runs.csv: line 2: column 'gpu'");
  std::vector<std::string> own = missing;
  own.insert(own.end(), {"--gpu-file", gpu});
  CHECK(run_json(own)["problems"] == 10);
  const std::vector<std::string> regression{"regression", "predict", runs};
  check_complaint(regression, 3, "runs.csv: line 2: column 'gpu'");
  own = regression;
  own.insert(own.end(), {"--gpu-file", gpu});
  CHECK(run_json(own)["rows"].size() == 2);
}

TEST_CASE("hybrid and regression tell of layers without a model, as predict does") {
  const TemporaryFolder folder;
  const std::string network = folder.file("net.txt");
  write_file(
      network,
      "network n opset 17\ninput x f32 [N, 8]\na = custom::Frob(x)\ny = Relu(x)\noutput a\noutput y\n");
  const std::string store = folder.file("conv.csv");
  write_file(store,
             "gpu,framework,mode,batch,input_size,in_channels,out_channels,kernel,stride,pad,time_ms\n"
             "t4,pytorch1.4,forward,1,8,3,4,3,1,0,1\n");
  const std::string why = "1 layer has no model (Frob): estimated from bytes where these are known";
  const auto check = [&](const std::vector<std::string>& arguments, const std::string& name) {
    const Outcome outcome = run_program(arguments);
    INFO(outcome.err);
    CHECK(outcome.exit_code == 0);
    const std::string line = "warning: " + name + ": " + why + "\n";
    const std::size_t first = outcome.err.find(line);
    CHECK(first != std::string::npos);
    CHECK(outcome.err.find(why, first + line.size()) == std::string::npos);
    CHECK(run_json(arguments)["warnings"].dump().find(why) != std::string::npos);
  };
  check({"hybrid", "predict", network, "--gpu", "t4", "--batches", "2:4", "--store", store}, network);
  check({"regression", "predict", network, "--gpu", "t4", "--batch", "4"}, network);
  const std::string runs = folder.file("runs.csv");
  write_file(runs, "network,gpu,batch\nnet.txt,t4,2\nlenet5,t4,2\nnet.txt,t4,4\n");
  check({"regression", "predict", runs}, "net");
}

TEST_CASE("hybrid and regression tell that another batch is applied than the file has, as predict does") {
  const TemporaryFolder folder;
  const std::string network = folder.file("net.txt");
  write_file(network, "network n opset 17\ninput x f32 [4, 8]\ny = Relu(x)\noutput y\n");
  const std::string store = folder.file("conv.csv");
  write_file(store,
             "gpu,framework,mode,batch,input_size,in_channels,out_channels,kernel,stride,pad,time_ms\n"
             "t4,pytorch1.4,forward,1,8,3,4,3,1,0,1\n");
  const std::string why =
      network + ": the file fixes batch 4 of input 'x'; the batch that is asked for is applied";
  const auto warnings_of = [](const std::vector<std::string>& arguments) {
    return run_json(arguments)["warnings"].dump();
  };
  CHECK_THAT(warnings_of({"regression", "predict", network, "--gpu", "t4", "--batch", "5"}),
             Catch::Contains(why));
  CHECK_THAT(warnings_of({"hybrid", "predict", network, "--gpu", "t4", "--batches", "5", "--store", store}),
             Catch::Contains(why));
}

namespace {

// Convolutions of alexnet at batch 4 are none of these.
std::string store_rows(const std::string& rows) {
  return "gpu,framework,mode,batch,input_size,in_channels,out_channels,kernel,stride,pad,activation,time_"
         "ms\n" +
         rows;
}

}  // namespace

TEST_CASE("hybrid says what the times of a device rest on that was not measured") {
  const TemporaryFolder folder;
  const std::string store = folder.file("conv.csv");
  write_file(store, store_rows("v100-sxm2,cudnn,forward,1,8,3,4,3,1,0,none,1\n"));
  const auto warnings_of = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"hybrid", "predict", "alexnet", "--batches", "4", "--store", store});
    std::string lines;
    const Json predicted = run_json(arguments);
    for (const Json& warning : predicted["warnings"])
      lines += "warning: " + warning.get<std::string>() + '\n';
    CHECK(run_program(arguments).err == lines);
    return lines;
  };
  CHECK(
      warnings_of({"--gpu", "h100-sxm", "--stack", "pytorch2.1"}) ==
      "warning: " + store +
          ": has no convolutions of h100-sxm in fp32 (it has some of v100-sxm2): their times are predicted\n"
          "warning: the predictor has no runs of h100-sxm: the rest of a step is a guess by its data "
          "sheet\n");
  CHECK(warnings_of({"--gpu", "v100-sxm2", "--stack", "tf2.5"}) ==
        "warning: " + store +
            ": has other convolutions of v100-sxm2 in fp32 than those of the network: their times are "
            "predicted\n");
  const std::string half = warnings_of({"--gpu", "v100-sxm2", "--stack", "tf2.5", "--precision", "fp16"});
  CHECK_THAT(half, Catch::Contains(": has no convolutions of v100-sxm2 in fp16 (it has some in fp32)"));
  CHECK_THAT(half,
             Catch::Contains("warning: predicted convolutions: no runs in fp16 of v100-sxm2 with tf2.5"));
}

TEST_CASE("hybrid says that it may have no runs in mode forward") {
  const TemporaryFolder folder;
  const std::string store = folder.file("conv.csv");
  write_file(store, store_rows("t4,cudnn,forward,1,8,3,4,3,1,0,none,1\n"));
  const std::string why = "the predictor does not tell a forward pass from a training step";
  for (const std::string mode : {"forward", "training"}) {
    const Json predicted = run_json(
        {"hybrid", "predict", "alexnet", "--gpu", "t4", "--batches", "4", "--mode", mode, "--store", store});
    INFO(predicted["warnings"].dump());
    CHECK((predicted["warnings"].dump().find(why) != std::string::npos) == (mode == "forward"));
  }
}

TEST_CASE("hybrid says why rows of a store are not used, by reason") {
  const TemporaryFolder folder;
  const std::string store = folder.file("conv.csv");
  const auto check = [&](const std::string& text, const std::string& why) {
    write_file(store, text);
    const std::string line = "warning: " + store + ": " + why + '\n';
    for (std::vector<std::string> arguments : {std::vector<std::string>{"hybrid", "predict"},
                                               {"hybrid", "missing", "-o", folder.file("missing.csv")}}) {
      arguments.insert(arguments.end(), {"alexnet", "--gpu", "t4", "--batches", "4", "--store", store});
      CHECK_THAT(run_program(arguments).err, Catch::Contains(line));
      CHECK_THAT(run_json(arguments)["warnings"].dump(), Catch::Contains(why));
    }
  };
  const std::string unused = "these rows give no time of a convolution: ";
  const std::string training = "t4,cudnn,training,4,224,3,64,11,4,2,none,1\n";
  const std::string fused = "t4,cudnn,forward,4,224,3,64,11,4,2,relu,1\n";
  check(store_rows(training + fused + fused),
        unused + "1 of training steps without forward_ms and backward_ms, 2 with an activation");
  check("gpu,mode,batch,in_features,out_features,time_ms\nt4,forward,4,8,8,1\n",
        unused + "1 of kind 'dense'");
  check(store_rows("Tesla T4,cudnn,forward,4,224,3,64,11,4,2,none,1\n"),
        "of 1 convolutions of t4 in fp32 it has not all passes that a step runs, forward and backward");
  write_file(store, store_rows("t4,cudnn,sideways,4,224,3,64,11,4,2,none,1\n"));
  check_complaint({"hybrid", "predict", "alexnet", "--gpu", "t4", "--batches", "4", "--store", store}, 3,
                  store + ": line 2: column 'mode': unknown mode 'sideways'");
}

TEST_CASE("hybrid: runs that are too few are refused before the trainer's library is loaded") {
  const TemporaryFolder folder;
  const std::string store = folder.file("conv.csv");
  write_file(store, store_rows("t4,cudnn,forward,1,8,3,4,3,1,0,none,1\n"));
  const std::string runs = folder.file("runs.csv");
  write_file(runs, "network,gpu,batch,measured_ms\nalexnet,t4,4,50\n");
  const auto check = [&](std::vector<std::string> arguments, int exit_code, const std::string& why) {
    arguments.insert(arguments.end(), {runs, "--store", store});
    check_complaint_before_loading("layersim_xgboost.so", arguments, exit_code, why);
  };
  check({"hybrid", "train", "-o", folder.file("hybrid.h5")}, 3, runs + ": hybrid needs runs of two networks");
  for (const char* left_out : {"--leave-one-network-out", "--leave-batches-out"})
    check({"hybrid", "evaluate", left_out}, 2, "leaving out needs two networks or batch sizes");
}
