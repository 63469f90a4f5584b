// layersim compare.

#include <catch2/catch.hpp>

#include "sim/core/json.h"
#include "tests/cli/program.h"

using namespace layersim;
using namespace layersim::tests;
using Catch::Matchers::Contains;

TEST_CASE("compare tells time, cost and what to choose") {
  const Outcome outcome = run_program({"compare", "resnet18", "--gpus", "k80,t4,v100-sxm2", "--batches",
                                       "16:64", "--epochs", "90", "--electricity-usd-per-kwh", "0.3"});
  INFO(outcome.err);
  CHECK(outcome.exit_code == 0);
  for (const char* part :
       {"resnet18", "11,689,512 parameters", "90 epochs of 1,281,167 samples", "fastest", "cheapest",
        "pareto", "best batch", "USD", "aws", "us-east-1", "2024-06", "years old"}) {
    INFO(part);
    CHECK_THAT(outcome.out, Contains(part));
  }
}

TEST_CASE("compare agrees with predict") {
  const Json study = Json::parse(run_program({"compare", "resnet18", "squeezenet1_0", "--gpus", "t4",
                                              "--batches", "8,32", "--dataset-size", "1000", "--json", "-"})
                                     .out);
  for (const Json& network : study["networks"]) {
    for (const Json& row : network["rows"]) {
      const Json one = Json::parse(
          run_program({network["network"].get<std::string>(), "--gpu", "t4", "--batch",
                       std::to_string(row["batch"].get<int>()), "--dataset-size", "1000", "--json", "-"})
              .out);
      CHECK(row["batch_ms"].get<double>() == Approx(one["batch_ms"].get<double>()));
      CHECK(row["batch_ms_low"].get<double>() == Approx(one["batch_ms_low"].get<double>()));
      CHECK(row["epoch_s"].get<double>() == Approx(one["epoch_s"].get<double>()));
      CHECK(row["memory_mib"].get<double>() == Approx(one["memory_mib"]["total"].get<double>()));
      CHECK(network["stack"] == one["stack"]);
    }
  }
}

TEST_CASE("compare writes CSV, and takes instances and the user's prices") {
  const TemporaryFolder folder;
  write_file(folder.file("mine.json"),
             R"({"provider": "ours", "region": "cellar", "date": "2026-01", "source": "lease",
    "instances": [{"name": "box", "gpu": "k80", "gpu_count": 1, "memory_gib": 64, "usd_per_hour": 0.1}]})");
  const Outcome outcome =
      run_program({"compare", "lenet5", "--instances", "box,p2.xlarge", "--gpus", "k80", "--prices",
                   folder.file("mine.json"), "--batches", "16", "--csv", "-"});
  CHECK(outcome.exit_code == 0);
  CHECK(line_count(outcome.out) == 4);
  CHECK_THAT(outcome.out, Contains("lenet5,box,k80,1,") && Contains("lenet5,p2.xlarge,k80,1,") &&
                              Contains("lenet5,k80,k80,1,"));
}

TEST_CASE("compare refuses what makes no study, in one line") {
  const TemporaryFolder folder;
  write_file(folder.file("bad.json"),
             R"({"instances": [], "provider": "x", "region": "y", "date": "then", "source": "z"})");
  write_file(folder.file("broken.json"), "{\"instances\": ");
  check_complaint({"compare", "--gpus", "k80"}, 2, "no network");
  check_complaint({"compare", "vgg16"}, 2, "--gpus");
  check_complaint({"compare", "vgg16", "--gpus", "k81"}, 2, "k80");
  check_complaint({"compare", "vgg16", "--gpus", "memory>=9999"}, 2, "no device fits");
  check_complaint({"compare", "vgg16", "--gpus", "memory>=foo"}, 2, "foo");
  check_complaint({"compare", "vgg16", "--gpus", "k80", "--batches", "0:4"}, 2, "--batches");
  check_complaint({"compare", "vgg16", "--gpus", "k80", "--batch", "4"}, 2, "--batches");
  check_complaint({"compare", "vgg16", "--gpus", "k80", "--max-batch"}, 2, "--max-batch");
  check_complaint({"compare", "vgg16", "--gpus", "k80", "--years", "2"}, 2, "--electricity-usd-per-kwh");
  check_complaint({"compare", "vgg16", "--gpus", "k80", "--budget-usd", "-5"}, 2, "--budget-usd");
  check_complaint({"compare", "vgg16", "--instances", "p2.huge"}, 2, "p2.xlarge");
  check_complaint({"compare", "vgg16", "--gpus", "k80", "--json", "-", "--csv", "-"}, 2, "exclude");
  check_complaint({"compare", "vgg61", "--gpus", "k80"}, 2, "vgg16");
  check_complaint({"compare", "vgg16", "nowhere.onnx", "--gpus", "k80", "--json", "-"}, 3, "nowhere.onnx");
  check_complaint({"compare", "vgg16", "--gpus", "k80", "--prices", folder.file("bad.json")}, 3, "'date'");
  check_complaint({"compare", "vgg16", "--gpus", "k80", "--prices", folder.file("broken.json")}, 3,
                  "broken.json");
  check_complaint({"compare", "vgg16", "--gpus", "k80", "--prices", folder.file("none.json")}, 3,
                  "none.json");
}

TEST_CASE("hypothetical hardware: predict tells before and after, and what each layer is bound by") {
  const std::vector<std::string> base{"resnet18", "--gpu", "v100-sxm2", "--batch", "32"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), base.begin(), base.end());
    return run_program(more);
  };
  const Json before = Json::parse(with({"--json", "-"}).out);
  const Json after = Json::parse(with({"--set", "memory_bandwidth_gb_s=1800", "--json", "-"}).out);
  CHECK(after["before"]["batch_ms"] == before["batch_ms"]);
  CHECK(after["batch_ms"].get<double>() < before["batch_ms"].get<double>());
  double memory_before = 0;
  double memory_after = 0;
  for (const Json& layer : after["layers"]) {
    if (layer["bound_by"] != "memory") continue;
    memory_after += layer["forward_ms"].get<double>() + layer["backward_ms"].get<double>();
    memory_before += layer["before_ms"].get<double>();
  }
  CHECK(memory_after > 0);
  CHECK(memory_after < 0.8 * memory_before);
  const std::string table = with({"--set", "memory_bandwidth_gb_s=1800"}).out;
  CHECK_THAT(table, Contains("before ms") && Contains("bound by") && Contains("does not exist") &&
                        Contains("memory_bandwidth_gb_s=1800"));
  check_complaint({"vgg16", "--gpu", "k80", "--set", "speed=3"}, 2, "speed");
  check_complaint({"compare", "vgg16", "--instances", "p2.xlarge", "--set", "cores=3"}, 2, "--set");
}

TEST_CASE("compare sets hypothetical hardware beside what exists") {
  const Json study = Json::parse(run_program({"compare", "resnet18", "--gpus", "v100-sxm2", "--set",
                                              "memory_bandwidth_gb_s=1800", "--batches", "32", "--json", "-"})
                                     .out);
  REQUIRE(study["choices"].size() == 2);
  CHECK(study["choices"][1]["name"] == "v100-sxm2 memory_bandwidth_gb_s=1800");
  const Json& rows = study["networks"][0]["rows"];
  CHECK(rows[1]["batch_ms"].get<double>() < rows[0]["batch_ms"].get<double>());
}

TEST_CASE("compare agrees with predict on the GPUs of an instance") {
  const Json study = Json::parse(run_program({"compare", "resnet18", "--instances", "p3.8xlarge", "--batches",
                                              "64", "--dataset-size", "6400", "--json", "-"})
                                     .out);
  const Json one = Json::parse(run_program({"resnet18", "--gpu", "v100-sxm2", "--n-gpus", "4", "--batch",
                                            "64", "--dataset-size", "6400", "--json", "-"})
                                   .out);
  const Json& row = study["networks"][0]["rows"][0];
  CHECK(row["n_gpus"] == 4);
  CHECK(row["batch_ms"].get<double>() == Approx(one["batch_ms"].get<double>()));
  CHECK(row["communication_ms"].get<double>() == Approx(one["communication_ms"].get<double>()));
  CHECK(row["memory_mib"].get<double>() == Approx(one["memory_mib"]["total"].get<double>()));
  CHECK(row["epoch_s"].get<double>() == Approx(one["epoch_s"].get<double>()));
}

TEST_CASE("a study, a scaling curve and a validation tell of layers without a model") {
  const TemporaryFolder folder;
  const std::string network = folder.file("net.txt");
  write_file(
      network,
      "network n opset 17\ninput x f32 [N, 8]\na = custom::Frob(x)\ny = Relu(x)\noutput a\noutput y\n");
  const std::string why = "1 layer has no model (Frob)";
  CHECK_THAT(run_program({"compare", network, "--gpus", "t4", "--batches", "4"}).out, Catch::Contains(why));
  CHECK_THAT(run_json({"compare", network, "--gpus", "t4", "--batches", "4"}).dump(), Catch::Contains(why));
  const Json curve = run_json({"scale", network, "--gpu", "t4", "--n-gpus", "1:2"});
  CHECK_THAT(curve["warnings"].dump(), Catch::Contains(why));
  const std::string runs = folder.file("runs.csv");
  write_file(runs, "network,gpu,batch,measured_ms\nnet.txt,t4,4,1\nlenet5,t4,4,1\n");
  CHECK_THAT(run_program({"validate", runs}).out,
             Catch::Contains("1 of 2 runs have layers of operators without a model"));
  CHECK(run_json({"validate", runs})["runs"][0]["unmodelled_layers"] == 1);
}

TEST_CASE("a study tells in one line which rows leave PyTorch little memory") {
  const auto largest = [](const std::string& gpu) {
    return run_json({"resnet18", "--gpu", gpu, "--max-batch"})["max_batch"].get<std::int64_t>();
  };
  const std::string most = std::to_string(largest("rtx2080ti"));
  const auto told = [&](const std::string& batches, const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"compare", "resnet18", "--gpus", "t4,rtx2080ti", "--batches", batches};
    arguments.insert(arguments.end(), more.begin(), more.end());
    Json found = Json::array();
    const Json study = run_json(arguments);
    for (const Json& warning : study["networks"][0]["warnings"])
      if (warning.get<std::string>().find("PyTorch may free") != std::string::npos) found.push_back(warning);
    return found;
  };
  const std::vector<std::string> pytorch{"--stack", "pytorch1.4"};
  const Json once = told("16," + most, pytorch);
  REQUIRE(once.size() == 1);
  CHECK_THAT(once[0].get<std::string>(), Catch::Contains("is needed by rtx2080ti at batch " + most + ": "));
  const Json both = told("16," + most + ',' + std::to_string(largest("t4")), pytorch);
  REQUIRE(both.size() == 1);
  CHECK_THAT(both[0].get<std::string>(), Catch::Contains(" (and rows like it: "));
  CHECK(told("16", pytorch).empty());
  CHECK(told(most, {"--stack", "tf2.5"}).empty());
  CHECK(told(most, {"--stack", "pytorch1.4", "--mode", "forward"}).empty());
}

TEST_CASE("a study and a scaling curve say once that the file fixes another batch") {
  const TemporaryFolder folder;
  const std::string network = folder.file("net.txt");
  write_file(network, "network n opset 17\ninput x f32 [2, 8]\ny = Relu(x)\noutput y\n");
  const Json expected =
      Json::array({"the file fixes batch 2 of input 'x'; the batch that is asked for is applied"});
  const auto fixed = [](const Json& warnings) {
    Json found = Json::array();
    for (const Json& warning : warnings) {
      if (warning.get<std::string>().find("fixes batch") != std::string::npos) found.push_back(warning);
    }
    return found;
  };
  const Json study = run_json({"compare", network, "--gpus", "t4,k80", "--batches", "1:16"});
  CHECK(fixed(study["networks"][0]["warnings"]) == expected);
  CHECK(fixed(run_json({"scale", network, "--gpu", "t4", "--n-gpus", "1:4"})["warnings"]) == expected);
}
