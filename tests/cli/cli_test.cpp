#include <catch2/catch.hpp>

#include "sim/core/json.h"
#include "tests/cli/program.h"

using namespace layersim;
using namespace layersim::tests;

namespace {

constexpr const char* kSmallNetwork = R"(network small opset 17
input x f32 [N, 3, 32, 32]
weight w1 f32 [8, 3, 3, 3]
weight w2 f32 [8192, 10]
a = Conv(x, w1) {pads=[1, 1, 1, 1]} name "conv"
b = Relu(a) name "relu"
c = Flatten(b) name "flat"
y = MatMul(c, w2) name "fc"
output y
)";

}  // namespace

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

TEST_CASE("files are written whole, beside the table") {
  const TemporaryFolder folder;
  write_file(folder.file("small.txt"), kSmallNetwork);
  write_file(folder.file("out.json"), "old");
  const Outcome outcome = run_program({folder.file("small.txt"), "--gpu", "k80", "--json",
                                       folder.file("out.json"), "--csv", folder.file("out.csv")});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.out.find("coverage") != std::string::npos);
  CHECK(Json::parse(read_text(folder.file("out.json")))["gpu"] == "k80");
  CHECK(read_text(folder.file("out.csv")).starts_with("index,name,"));
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path())) ++files;
  CHECK(files == 3);
  check_complaint({folder.file("small.txt"), "--gpu", "k80", "--json", folder.file("no/such/folder.json")}, 2,
                  "cannot be written");
  check_complaint({folder.file("small.txt"), "--gpu", "k80", "--json", "-", "--csv", "-"}, 2,
                  "exclude each other");
}

TEST_CASE("a full disk is an error, not silence") {
  const Outcome outcome = run_program({"--help"}, "/dev/full");
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.err.find("standard output: cannot be written") != std::string::npos);
}

TEST_CASE("wrong use is told in one line with exit code 2") {
  const TemporaryFolder folder;
  const std::string file = folder.file("small.txt");
  write_file(file, kSmallNetwork);
  check_complaint({}, 2, "no network");
  check_complaint({file}, 2, "no device");
  check_complaint({"--gpu", "k80"}, 2, "no network");
  check_complaint({file, "--gpu", "k81"}, 2, "k80");
  check_complaint({"vgg61", "--gpu", "k80"}, 2, "vgg16");
  check_complaint({file, "--gpu", "k80", "--batch", "0"}, 2,
                  "--batch takes a whole number of at least 1, not '0'");
  check_complaint({file, "--gpu", "k80", "--batch", "-3"}, 2, "--batch");
  check_complaint({file, "--gpu", "k80", "--batch=-3"}, 2, "not '-3'");
  check_complaint({file, "--gpu", "k80", "--batch", "x"}, 2, "not 'x'");
  check_complaint({file, "--gpu", "k80", "--batch", "3.5"}, 2, "not '3.5'");
  check_complaint({file, "--gpu", "k80", "--batch", "99999999999999999999"}, 2, "--batch");
  check_complaint({file, "--gpu", "k80", "--batch", ""}, 2, "--batch");
  check_complaint({file, "--gpu", "k80", "--batch"}, 2, "--batch");
  check_complaint({file, "--gpu", "k80", "--batch", "1", "--batch", "2"}, 2, "--batch");
  check_complaint({file, "--gpu", "k80", "--batchh", "1"}, 2, "--batch");
  check_complaint({file, "--gpu", "k80", "--bat", "1"}, 2, "--batch");
  check_complaint({file, "other", "--gpu", "k80"}, 2, "one argument too many: 'other'");
  check_complaint({file, "--gpu", "k80", "--mode", "train"}, 2, "forward or training");
  check_complaint({file, "--gpu", "k80", "--optimizer", "lion"}, 2, "sgd");
  check_complaint({file, "--gpu", "k80", "--precision", "int8"}, 2, "int8");
  check_complaint({file, "--gpu", "k80", "--method", "magic"}, 2, "roofline");
  check_complaint({file, "--gpu", "k80", "--dim", "N"}, 2, "--dim takes NAME=VALUE");
  check_complaint({file, "--gpu", "k80", "--dim", "N=2", "--dim", "N=3"}, 2, "--dim N is given twice");
  check_complaint({file, "--gpu", "k80", "--input", "1x-3"}, 2, "--input");
  check_complaint({file, "--gpu", "k80", "--gpu-file", "x.json"}, 2, "exclude");
  check_complaint({"gpus", "show"}, 2, "one device");
  check_complaint({"gpus", "k80"}, 2, "show NAME");
  check_complaint({"zoo", "vgg61"}, 2, "vgg16");
}

TEST_CASE("files that are no networks are told in one line with exit code 3") {
  const TemporaryFolder folder;
  write_file(folder.file("noise.onnx"), std::string("\x08\xff\xff\xff\xff\xff not a network", 20));
  write_file(folder.file("empty.onnx"), "");
  check_complaint({folder.file("noise.onnx"), "--gpu", "k80"}, 3, "noise.onnx");
  check_complaint({folder.file("empty.onnx"), "--gpu", "k80"}, 3, "empty.onnx");
  check_complaint({folder.file("missing.onnx"), "--gpu", "k80"}, 3, "no such file");
  check_complaint({folder.path().string(), "--gpu", "k80"}, 3, "folder");
  check_complaint({"vgg16", "--gpu-file", folder.file("noise.onnx")}, 3, "noise.onnx");
}

TEST_CASE("a network without layers predicts nothing: exit code 4") {
  const TemporaryFolder folder;
  write_file(folder.file("none.txt"), "network none opset 17\ninput x f32 [2, 3]\noutput x\n");
  check_complaint({folder.file("none.txt"), "--gpu", "k80"}, 4, "no layers");
  CHECK(run_program({"show", folder.file("none.txt")}).exit_code == 0);
}

TEST_CASE("every command has help with an example, and the program a version") {
  const Outcome help = run_program({"--help"});
  CHECK(help.exit_code == 0);
  for (const char* command : {"predict", "show", "gpus", "zoo", "train", "evaluate", "data"}) {
    INFO(command);
    CHECK(help.out.find(command) != std::string::npos);
    const Outcome own = run_program({command, "--help"});
    CHECK(own.exit_code == 0);
    CHECK(own.out.find("example: layersim " + std::string(command)) != std::string::npos);
    CHECK(own.err.empty());
  }
  const Outcome version = run_program({"--version"});
  CHECK(version.out.starts_with("layersim "));
  CHECK(line_count(version.out) == 1);
}

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

TEST_CASE("a message names a file once, by the user's name for it") {
  const TemporaryFolder folder;
  const std::string none = folder.file("none.csv");
  const std::string garbage = folder.file("garbage.onnx");
  write_file(garbage, "garbage");
  check_complaint({"train", none, "-o", folder.file("p.h5")}, 3, "layersim: " + none + ": cannot open");
  check_complaint({"calibrate", none, "--gpu", "t4", "-o", folder.file("p.h5")}, 3,
                  "layersim: " + none + ": cannot open");
  check_complaint({"compare", garbage, "--gpus", "t4"}, 3, "layersim: " + garbage + ": neither");
  check_complaint({"compare", "nosuch", "--gpus", "t4"}, 2, "layersim: 'nosuch' is neither");
  check_complaint({"hybrid", "train", "nosuch", "--store", none, "-o", folder.file("p.h5")}, 2,
                  "takes a table of measured runs (.csv or .csv.gz), not 'nosuch'");
  const std::string unwritable = folder.file("no/file");
  for (const char* option : {"--annotate", "--html", "--json", "--trace"}) {
    check_complaint({"lenet5", "--gpu", "t4", option, unwritable}, 2,
                    "layersim: " + unwritable + ": cannot be written: No such file");
  }
  check_complaint({"zoo", "lenet5", "-o", unwritable}, 2, unwritable + ": cannot be written");
  check_complaint({"zzzzzzzzzz", "--gpu", "t4"}, 2,
                  "'zzzzzzzzzz' is neither a command, a file nor a network of the zoo (layersim --help)");
}

TEST_CASE("the list of commands has a space behind each name") {
  const Outcome outcome = run_program({"--help"});
  CHECK(outcome.out.find("  interconnects what joins") != std::string::npos);
}
