#include <catch2/catch.hpp>
#include <filesystem>

#include "sim/core/json.h"
#include "tests/cli/program.h"
#include "tests/cli/small_network.h"

using namespace layersim;
using namespace layersim::tests;

TEST_CASE("a network of the zoo on a device, in one command") {
  const Outcome outcome = run_program({"vgg16", "--gpu", "k80", "--batch", "64"});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.err.empty());
  for (const char* part : {"vgg16", "138,357,544 parameters", "batch 64", "k80", "training", "sgd", "epoch",
                           "memory", "coverage", "ImageNet", "trained on measured layers"}) {
    INFO(part);
    CHECK(outcome.out.find(part) != std::string::npos);
  }
  CHECK(run_program({"predict", "vgg16", "--gpu", "k80", "--batch", "64"}).out == outcome.out);
}

TEST_CASE("predict's JSON adds up, layer by layer") {
  const TemporaryFolder folder;
  write_file(folder.file("small.txt"), kSmallNetwork);
  const Json json = run_json({folder.file("small.txt"), "--gpu", "v100-sxm2", "--batch", "4", "--optimizer",
                              "adam", "--dataset-size", "1000", "--epochs", "3"});
  CHECK(json["batch"] == 4);
  CHECK(json["network"]["params"] == 216 + 81920);
  CHECK(json["network"]["macs_per_sample"] == 216 * 1024 + 81920);
  double forward = 0;
  double backward = 0;
  double optimizer = 0;
  for (const Json& layer : json["layers"]) {
    forward += layer["forward_ms"].get<double>();
    backward += layer["backward_ms"].get<double>();
    optimizer += layer["optimizer_ms"].get<double>();
  }
  CHECK(json["forward_ms"].get<double>() == Approx(forward));
  CHECK(json["backward_ms"].get<double>() == Approx(backward));
  CHECK(json["optimizer_ms"].get<double>() == Approx(optimizer));
  CHECK(json["batch_ms"].get<double>() ==
        Approx(forward + backward + optimizer + json["overhead_ms"].get<double>()));
  CHECK(json["epoch_s"].get<double>() == Approx(0.25 * json["batch_ms"].get<double>()));
  CHECK(json["total_s"].get<double>() == Approx(3 * json["epoch_s"].get<double>()));
  CHECK(json["coverage"]["macs_share"] == 1.0);
  CHECK(json["fits"] == true);
}

TEST_CASE("options change what they say") {
  const TemporaryFolder folder;
  const std::string file = folder.file("small.txt");
  write_file(file, kSmallNetwork);
  const Json training = run_json({file, "--gpu", "v100-sxm2"});
  CHECK(training["mode"] == "training");
  CHECK(training["optimizer"] == "sgd");
  CHECK(training["precision"] == "fp32");
  CHECK(training["batch"] == 1);
  const Json forward = run_json({file, "--gpu", "v100-sxm2", "--mode", "forward"});
  CHECK(forward["backward_ms"] == 0);
  CHECK(forward["optimizer"] == "none");
  CHECK(forward["forward_ms"] == training["forward_ms"]);
  CHECK(forward["memory_mib"]["gradients"] == 0);
  const Json half = run_json({file, "--gpu", "v100-sxm2", "--precision", "fp16"});
  CHECK(half["memory_mib"]["weights"].get<double>() ==
        Approx(training["memory_mib"]["weights"].get<double>() / 2));
  const Json by_input = run_json({file, "--gpu", "v100-sxm2", "--input", "x=2x3x32x32"});
  CHECK(by_input["layers"][0]["output_shape"][0] == 2);
}

TEST_CASE("a prediction as HTML, as a trace and on the nodes of the network") {
  const TemporaryFolder folder;
  const std::string file = folder.file("small.txt");
  write_file(file, kSmallNetwork);
  const auto run = [&](const std::string& network, const std::string& annotated) {
    return run_program({network, "--gpu", "k80", "--html", folder.file("out.html"), "--trace",
                        folder.file("out.json"), "--annotate", folder.file(annotated)});
  };
  CHECK(run(file, "from_text.onnx").exit_code == 0);  // in text form: written as ONNX
  CHECK(read_text(folder.file("out.html")).find("Tesla K80") != std::string::npos);
  CHECK(Json::parse(read_text(folder.file("out.json")))["traceEvents"].size() > 4);
  const std::string annotated = read_text(folder.file("from_text.onnx"));
  CHECK(annotated.find("layersim (k80): conv+relu, ") != std::string::npos);
  CHECK(run(folder.file("from_text.onnx"), "again.onnx").exit_code == 0);  // an ONNX file: edited
  CHECK(read_text(folder.file("again.onnx")).size() > annotated.size());
  const auto layers = [&](const std::string& network) { return run_json({"show", network})["layers"]; };
  CHECK(layers(folder.file("again.onnx")) == layers(folder.file("from_text.onnx")));
  CHECK(run("lenet5", "zoo.onnx").exit_code == 0);
  CHECK(read_text(folder.file("zoo.onnx")).find("layersim (k80)") != std::string::npos);
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path())) ++files;
  CHECK(files == 6);  // nothing half-written stays
  check_complaint({file, "--gpu", "k80", "--html", "-"}, 2, "--html takes the name of a file");
  check_complaint({file, "--gpu", "k80", "--annotate", folder.file("no/such.onnx")}, 2, "no/such.onnx");
}

TEST_CASE("memory: what fits, and the largest batch that does") {
  const TemporaryFolder folder;
  const std::string file = folder.file("small.txt");
  write_file(file, kSmallNetwork);
  const auto total = [&](const std::string& batch) {
    const Json json = run_json({file, "--gpu", "k80", "--batch", batch});
    CHECK(json["memory_usable_mib"].get<double>() == Approx(0.92 * 12288));
    const Json& parts = json["memory_mib"];
    double sum = 0;
    for (const char* part : {"weights", "gradients", "optimizer", "activations", "workspace", "context"}) {
      sum += parts[part].get<double>();
    }
    CHECK(parts["total"].get<double>() == Approx(sum));
    CHECK(json["fits"] == (sum <= json["memory_usable_mib"].get<double>()));
    return sum;
  };
  const Json json = run_json({file, "--gpu", "k80", "--max-batch"});
  const auto most = json["max_batch"].get<std::int64_t>();
  CHECK(most > 1000);
  CHECK(total(std::to_string(most)) <= 0.92 * 12288);
  CHECK(total(std::to_string(most + 1)) > 0.92 * 12288);
  CHECK(run_json({file, "--gpu", "k80", "--max-batch", "--input", "x=7x3x32x32"})["max_batch"] == most);
  CHECK(
      run_json({file, "--gpu", "k80", "--max-batch", "--mode", "forward"})["max_batch"].get<std::int64_t>() >
      most);
  CHECK(run_json({"gpt3_27", "--gpu", "k80", "--optimizer", "adam", "--max-batch"})["max_batch"] == 0);
  CHECK(run_program({file, "--gpu", "k80", "--max-batch"}).out.find("largest batch that fits") !=
        std::string::npos);
}

TEST_CASE("a training step that leaves PyTorch little memory is warned of") {
  const auto is_tight = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"resnet18", "--gpu"});
    return run_json(arguments)["warnings"].dump().find("% of the memory: PyTorch may free") !=
           std::string::npos;
  };
  const auto most =
      run_json({"resnet18", "--gpu", "rtx2080ti", "--stack", "pytorch1.4", "--max-batch"})["max_batch"]
          .get<std::int64_t>();
  const std::string tight = std::to_string(most);
  CHECK(is_tight({"rtx2080ti", "--stack", "pytorch1.4", "--batch", tight}));
  CHECK_FALSE(is_tight({"rtx2080ti", "--stack", "pytorch1.4", "--batch", std::to_string(most * 8 / 10)}));
  CHECK_FALSE(is_tight({"rtx2080ti", "--stack", "pytorch1.4", "--batch", std::to_string(most + 1)}));
  CHECK_FALSE(is_tight({"rtx2080ti", "--stack", "pytorch1.4", "--batch", tight, "--mode", "forward"}));
  CHECK_FALSE(is_tight({"rtx2080ti", "--stack", "tf2.5", "--batch", tight}));
}

TEST_CASE("an epoch with validation, and a loader that is slower than the device") {
  const TemporaryFolder folder;
  const std::string file = folder.file("small.txt");
  write_file(file, kSmallNetwork);
  const std::vector<std::string> base{file, "--gpu", "k80", "--batch", "10", "--dataset-size", "100"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), base.begin(), base.end());
    return run_json(more);
  };
  const Json plain = with({});
  CHECK(plain["input_wait_ms"] == 0);
  CHECK(plain["validation_s"] == 0);
  const Json validated = with({"--validation-size", "40", "--epochs", "2"});
  const Json forward = with({"--mode", "forward"});
  CHECK(validated["validation_s"].get<double>() == Approx(4 * forward["batch_ms"].get<double>() / 1000));
  CHECK(validated["epoch_s"].get<double>() ==
        Approx(plain["epoch_s"].get<double>() + validated["validation_s"].get<double>()));
  CHECK(validated["total_s"].get<double>() == Approx(2 * validated["epoch_s"].get<double>()));
  const Json slow = with({"--loader-images-per-s", "20"});
  CHECK(slow["batch_ms"].get<double>() == Approx(500));
  CHECK(slow["batch_ms_low"].get<double>() == Approx(500));
  CHECK(slow["input_wait_ms"].get<double>() == Approx(500 - plain["batch_ms"].get<double>()));
  CHECK(slow["epoch_s"].get<double>() == Approx(5));
  CHECK(with({"--loader-images-per-s", "1e9"})["batch_ms"] == plain["batch_ms"]);
  CHECK(run_program({file, "--gpu", "k80", "--loader-images-per-s", "2"}).out.find("waiting for input") !=
        std::string::npos);
  check_complaint({file, "--gpu", "k80", "--loader-images-per-s", "0"}, 2,
                  "--loader-images-per-s takes a number above 0");
  check_complaint({file, "--gpu", "k80", "--mode", "forward", "--validation-size", "3"}, 2,
                  "--validation-size");
}

TEST_CASE("software that the predictor does not know is refused by name") {
  check_complaint({"lenet5", "--gpu", "k80", "--stack", "tf9"}, 2, "knows no stack 'tf9'; it knows");
}

TEST_CASE("a run costs what its hours cost") {
  const TemporaryFolder folder;
  const std::vector<std::string> base{"lenet5",         "--gpu", "t4",       "--batch", "8",
                                      "--dataset-size", "8000",  "--epochs", "3"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), base.begin(), base.end());
    return run_json(more);
  };
  const auto hours = [](const Json& json) { return json["total_s"].get<double>() / 3600; };
  const Json shipped = with({});
  CHECK(shipped["cost_usd"].get<double>() ==
        Approx(shipped["price"]["usd_per_hour"].get<double>() * hours(shipped)));
  const std::string prices = folder.file("prices.json");
  write_file(prices,
             R"({"provider": "own", "region": "here", "date": "2026-11", "source": "a contract",
                 "instances": [{"name": "box", "gpu": "t4", "gpu_count": 4, "memory_gib": 64, "usd_per_hour": 8}]})");
  const Json own = with({"--n-gpus", "2", "--prices", prices});
  CHECK(own["price"]["usd_per_hour"] == 4);
  CHECK(own["price"]["what"] == "2 times 1/4 of own box, here, 2026-11");
  CHECK(own["cost_usd"].get<double>() == Approx(4 * hours(own)));
  CHECK(with({"--set", "tdp_w=50"})["cost_usd"].is_null());
  const std::string table = run_program({"lenet5", "--gpu", "t4", "--batch", "8", "--prices", prices}).out;
  CHECK(table.find("USD at 2.00 USD/h: 1/4 of own box, here, 2026-11") != std::string::npos);
}

TEST_CASE("frozen layers take no part in training, and what is left adds up") {
  const TemporaryFolder folder;
  const std::string file = folder.file("small.txt");
  write_file(file, kSmallNetwork);
  const Json all = run_json({file, "--gpu", "v100-sxm2", "--batch", "8"});
  const Json head = run_json({file, "--gpu", "v100-sxm2", "--batch", "8", "--freeze", "conv"});
  CHECK(head["network"]["frozen_params"] == 216);
  CHECK(head["forward_ms"] == all["forward_ms"]);
  CHECK(head["layers"][0]["backward_ms"] == 0);
  CHECK(head["layers"][0]["optimizer_ms"] == 0);
  CHECK(head["backward_ms"].get<double>() < all["backward_ms"].get<double>());
  CHECK(head["memory_mib"]["gradients"].get<double>() == Approx(4 * 81920.0 / 1048576));
  const Json none = run_json({file, "--gpu", "v100-sxm2", "--batch", "8", "--freeze", "*"});
  CHECK(none["backward_ms"] == 0);
  CHECK(none["optimizer_ms"] == 0);
  check_complaint({file, "--gpu", "k80", "--freeze", "conv9"}, 2, "--freeze conv9: no layer");
  CHECK(run_json({file, "--gpu", "k80", "--mode", "forward", "--freeze", "conv"})["warnings"].dump().find(
            "--freeze changes nothing") != std::string::npos);
}

TEST_CASE("features show what a predictor sees of each layer") {
  const TemporaryFolder folder;
  const std::string file = folder.file("small.txt");
  write_file(file, kSmallNetwork);
  const Outcome outcome = run_program({file, "--gpu", "v100-sxm2", "--batch", "4", "--features", "-"});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.out.starts_with("index,name,family,feature,value,unit\n"));
  for (const char* part :
       {",conv,kernel_is_3,1,flag\n", ",conv,volta,1,flag\n", ",conv,sgd,1,flag\n", ",gemm,"}) {
    INFO(part);
    CHECK(outcome.out.find(part) != std::string::npos);
  }
  check_complaint({file, "--gpu", "k80", "--features", "-", "--json", "-"}, 2, "--features -");
}

TEST_CASE("a network without layers predicts nothing: exit code 4") {
  const TemporaryFolder folder;
  write_file(folder.file("none.txt"), "network none opset 17\ninput x f32 [2, 3]\noutput x\n");
  check_complaint({folder.file("none.txt"), "--gpu", "k80"}, 4, "no layers");
  CHECK(run_program({"show", folder.file("none.txt")}).exit_code == 0);
}
