// The command `validate`: exit codes, outputs, and that it says what `predict` says.

#include <catch2/catch.hpp>

#include "sim/core/json.h"
#include "tests/cli/program.h"

using namespace layersim;
using namespace layersim::tests;

namespace {

Json parse_output(const std::vector<std::string>& arguments) {
  const Outcome outcome = run_program(arguments);
  INFO("error: " << outcome.err);
  REQUIRE(outcome.exit_code == 0);
  return Json::parse(outcome.out);
}

std::string shortest(const Json& number) { return number.dump(); }

constexpr const char* kHeader = "network,gpu,precision,mode,optimizer,n_gpus,batch,measured_ms\n";

}  // namespace

TEST_CASE("validate gives exactly what predict gives") {
  const TemporaryFolder folder;
  struct Case {
    const char* network;
    const char* gpu;
    const char* precision;
    const char* mode;
    const char* optimizer;
    const char* batch;
  };
  const std::vector<Case> cases{{"resnet18", "v100-sxm2", "fp32", "training", "adam", "32"},
                                {"vgg11", "k80", "fp32", "forward", "none", "3"},
                                {"mobilenet_v2", "t4", "fp16", "training", "sgd", "8"},
                                {"resnet18", "h100-sxm", "bf16", "forward", "none", "32"}};
  std::string csv = kHeader;
  for (const Case& c : cases) {
    csv += std::string(c.network) + ',' + c.gpu + ',' + c.precision + ',' + c.mode + ',' + c.optimizer +
           ",1," + c.batch + ",10\n";
  }
  write_file(folder.file("runs.csv"), csv);
  for (const char* method : {"layerwise", "roofline"}) {
    const Json json = parse_output({"validate", folder.file("runs.csv"), "--json", "-", "--method", method});
    REQUIRE(json["runs"].size() == cases.size());
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const Case& c = cases[i];
      INFO(c.network << " by " << method);
      std::vector<std::string> arguments{c.network, "--gpu",  c.gpu,     "--precision", c.precision,
                                         "--mode",  c.mode,   "--batch", c.batch,       "--method",
                                         method,    "--json", "-"};
      arguments.insert(arguments.end(), {"--optimizer", c.optimizer});
      const Json predicted = parse_output(arguments);
      const Json& run = json["runs"][i];
      CHECK(shortest(run["predicted_ms"]) == shortest(predicted["batch_ms"]));
      CHECK(shortest(run["low_ms"]) == shortest(predicted["batch_ms_low"]));
      CHECK(shortest(run["high_ms"]) == shortest(predicted["batch_ms_high"]));
    }
  }
}

TEST_CASE("validate as a regression test: exit codes and files") {
  const TemporaryFolder folder;
  const std::string file = folder.file("runs.csv");
  write_file(file, std::string(kHeader) + "lenet5,k80,,training,sgd,1,64,1\n");
  const Json first = parse_output({"validate", file, "--json", "-"});
  const double predicted_ms = first["runs"][0]["predicted_ms"].get<double>();
  // As measured: 5 % below what is predicted.
  write_file(file, std::string(kHeader) + "lenet5,k80,,training,sgd,1,64," +
                       std::to_string(predicted_ms / 1.05) + '\n');
  const std::string json_file = folder.file("out.json");
  const std::string junit_file = folder.file("out.xml");
  const Outcome good = run_program({"validate", file, "--max-mape", "6%", "--max-ape", "0.06", "--json",
                                    json_file, "--junit", junit_file});
  CHECK(good.exit_code == 0);
  CHECK(good.err.empty());
  CHECK(good.out.find("+5.0 %") != std::string::npos);
  CHECK(good.out.find("holds   --max-mape") != std::string::npos);
  CHECK(Json::parse(read_text(json_file))["mape"].get<double>() == Approx(0.05).epsilon(0.01));
  CHECK(read_text(junit_file).find("failures=\"0\"") != std::string::npos);

  const Outcome bad = run_program({"validate", file, "--max-mape", "0.04", "--junit", junit_file});
  CHECK(bad.exit_code == 1);
  CHECK(bad.err.starts_with("layersim: --max-mape: MAPE 5 %"));
  CHECK(line_count(bad.err) == 1);
  CHECK(bad.out.find("FAILS   --max-mape") != std::string::npos);
  CHECK(read_text(junit_file).find("failures=\"1\"") != std::string::npos);

  CHECK(run_program({"validate", file, "--baseline", json_file}).exit_code == 0);
  write_file(file, std::string(kHeader) + "lenet5,k80,,training,sgd,1,64," +
                       std::to_string(predicted_ms / 1.10) + '\n');
  const Outcome worse = run_program({"validate", file, "--baseline", json_file});
  CHECK(worse.exit_code == 1);
  CHECK(worse.err.find("--baseline") != std::string::npos);
}

TEST_CASE("validate tells wrong use and bad tables") {
  const TemporaryFolder folder;
  const std::string file = folder.file("runs.csv");
  const auto check = [&](const std::vector<std::string>& arguments, int exit_code, const std::string& part) {
    const Outcome outcome = run_program(arguments);
    INFO(outcome.err);
    CHECK(outcome.exit_code == exit_code);
    CHECK(line_count(outcome.err) == 1);
    CHECK(outcome.err.find(part) != std::string::npos);
  };
  write_file(file, std::string(kHeader) + "lenet5,k80,,training,sgd,1,64,1\n");
  check({"validate"}, 2, "no table of runs");
  check({"validate", file, "--max-ape", "10"}, 2,
        "--max-ape 10 is more than all of the time: write 10% for percent");
  check({"validate", file, "--max-mape", "ten"}, 2, "--max-mape takes a share such as 0.1 or 10%, not 'ten'");
  check({"validate", file, "--max-ape", "-1"}, 2, "--max-ape");
  check({"validate", file, "--method", "magic"}, 2, "magic");
  check({"validate", file, "--json", "-", "--junit", "-"}, 2, "exclude each other");
  check({"validate", folder.file("none.csv")}, 3, "none.csv");
  check({"validate", file, "--baseline", folder.file("none.json")}, 3, "none.json: cannot be read");
  write_file(file, std::string(kHeader) + "lenet5,k80,,training,sgd,1,0,1\n");
  check({"validate", file}, 3, file + ": line 2: column 'batch': ");
  write_file(file, std::string(kHeader) + "lenet5,k80,,training,sgd,0,64,1\n");
  check({"validate", file}, 3, file + ": line 2: column 'n_gpus': 0 is for CPUs: k80 is a GPU");
  for (const std::string column : {"stack", "framework"}) {
    write_file(file, "network,gpu,batch,measured_ms," + column + "\nlenet5,k80,8,1,\nlenet5,k80,8,1,tf9\n");
    check({"validate", file}, 3,
          file + ": line 3: column '" + column + "': the predictor knows no stack 'tf9'; it knows ");
  }
  write_file(file, "network,gpu,batch\n");
  check({"validate", file}, 3, file + ": has no column 'measured_ms'");
  write_file(file, std::string(kHeader) + "lenet5,k80,,training,sgd,2,1,1\n");
  check({"validate", file}, 4,
        file + ": line 2: no run could be predicted: a batch of 1 has less than one sample");
}

TEST_CASE("validate: blame without measured layers is refused") {
  const TemporaryFolder folder;
  const std::string file = folder.file("runs.csv");
  for (const char* table : {"network,gpu,batch,measured_ms\nlenet5,t4,16,1\n",
                            "network,gpu,batch,measured_ms,layer_times\nlenet5,t4,16,1,\n"}) {
    write_file(file, table);
    const Outcome outcome = run_program({"validate", file, "--blame"});
    CHECK(outcome.exit_code == 3);
    CHECK_THAT(outcome.err, Catch::Contains(file + ": --blame needs files of measured layers in a column"));
  }
}

TEST_CASE("measured layers that are all of another network are refused") {
  const TemporaryFolder folder;
  const std::string file = folder.file("runs.csv");
  write_file(folder.file("layers.csv"), "layer,measured_ms\nelsewhere,3\n");
  write_file(file, "network,gpu,batch,measured_ms,layer_times\nlenet5,t4,16,1,layers.csv\n");
  const Outcome outcome = run_program({"validate", file, "--blame"});
  CHECK(outcome.exit_code == 3);
  CHECK_THAT(outcome.err, Catch::Contains("layers.csv: has no layer of the network, but 'elsewhere'"));
}
