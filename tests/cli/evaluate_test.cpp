#include <catch2/catch.hpp>

#include "sim/core/json.h"
#include "tests/cli/program.h"
#include "tests/shared_files.h"

using namespace layersim;
using namespace layersim::tests;

namespace {

constexpr const char* kHeader = "gpu,framework,precision,mode,op,rows,cols,time_ms\n";

std::string softmax_rows() {
  std::string csv = kHeader;
  for (int i = 1; i <= 40; ++i) {
    csv += "v100-pcie-32gb,pytorch2.1,fp32,forward,softmax," + std::to_string(100 * i) + ",512,0.0" +
           std::to_string(10 + i) + '\n';
  }
  return csv;
}

Json evaluate_json(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "evaluate");
  return run_json(std::move(arguments));
}

}  // namespace

TEST_CASE(
    "evaluate tells the errors of the predictor that comes along on rows of a CSV file and of a store") {
  const TemporaryFolder folder;
  const std::string csv = folder.file("rows.csv");
  write_file(csv, softmax_rows());
  const Json json = evaluate_json({csv});
  REQUIRE(json["groups"].size() == 1);
  CHECK(json["groups"][0]["gpu"] == "v100-pcie-32gb");
  CHECK(json["groups"][0]["kind"] == "softmax");
  CHECK(json["groups"][0]["n"] == 40);
  CHECK(json["groups"][0]["networks"][0].get<std::string>().starts_with("rowwise@"));
  CHECK(json["overall"]["n"] == 40);
  CHECK(json["trained_on"].empty());

  const std::string store = folder.file("bench.h5");
  REQUIRE(run_program({"data", "import", csv, "-o", store}).exit_code == 0);
  CHECK(evaluate_json({store})["groups"] == json["groups"]);

  const Outcome text =
      run_program({"evaluate", csv, "--svg", folder.file("plot.svg"), "--csv", folder.file("rows_out.csv")});
  CHECK(text.exit_code == 0);
  CHECK(text.out.find("linear %") != std::string::npos);
  CHECK(read_text(folder.file("plot.svg")).starts_with("<svg "));
  CHECK(line_count(read_text(folder.file("rows_out.csv"))) == 41);
}

TEST_CASE("a predictor is evaluated on the rows that its own split kept out") {
  const TemporaryFolder folder;
  const std::string csv = folder.file("rows.csv");
  std::string rows = kHeader;
  for (int i = 1; i <= 400; ++i) {
    rows += "v100-pcie-32gb,pytorch2.1,fp32,forward,softmax," + std::to_string(10 * i) + ",512,0." +
            std::to_string(1000 + i) + '\n';
  }
  write_file(csv, rows);
  const std::string predictor = folder.file("p.h5");
  const Outcome trained = run_program({"train", csv, "--trainer", "linear", "--test-share", "0.3", "--seed",
                                       "7", "-o", predictor, "--json", "-"});
  REQUIRE(trained.exit_code == 0);
  const Json own = Json::parse(trained.out)["networks"][0]["overall"];
  const Json held_out = evaluate_json({csv, "--predictor", predictor, "--held-out"});
  CHECK(held_out["overall"]["n"] == own["n"]);
  CHECK(held_out["overall"]["mape"].get<double>() == Approx(own["mape"].get<double>()).epsilon(1e-6));
  CHECK(held_out["overall"]["rmse_ms"].get<double>() == Approx(own["rmse_ms"].get<double>()).epsilon(1e-6));
  CHECK(held_out["held_out"] == true);
  const Json all = evaluate_json({csv, "--predictor", predictor});
  CHECK(all["overall"]["n"] == 400);
  CHECK(all["trained_on"].size() == 1);
  CHECK(run_program({"evaluate", csv, "--predictor", predictor}).out.find("--held-out evaluates") !=
        std::string::npos);
}

TEST_CASE("rows of a device that only its own file tells of") {
  const TemporaryFolder folder;
  const Outcome shown = run_program({"gpus", "show", "v100-pcie-32gb", "--json", "-"});
  REQUIRE(shown.exit_code == 0);
  std::string device = read_text(std::string(LAYERSIM_SOURCE_DIR) + "/configs/gpus/v100-pcie-32gb.json");
  const auto replace = [&](const std::string& from, const std::string& to) {
    const std::size_t at = device.find(from);
    REQUIRE(at != std::string::npos);
    device.replace(at, from.size(), to);
  };
  replace("\"key\": \"v100-pcie-32gb\"", "\"key\": \"my-gpu\"");
  write_file(folder.file("my-gpu.json"), device);
  const std::string csv = folder.file("rows.csv");
  write_file(csv, std::string(kHeader) + "my-gpu,pytorch2.1,fp32,forward,softmax,100,512,0.02\n");
  CHECK(evaluate_json({csv, "--gpu-file", folder.file("my-gpu.json")})["groups"][0]["gpu"] == "my-gpu");
  check_complaint({"evaluate", csv}, 3, "line 2: column 'gpu': no device is named 'my-gpu'");
}

TEST_CASE("what is wrong with rows or predictor is said in one line") {
  const TemporaryFolder folder;
  const std::string csv = folder.file("rows.csv");
  const auto complaint_of_rows = [&](const std::string& rows, const std::string& part) {
    INFO(rows);
    write_file(csv, rows);
    check_complaint({"evaluate", csv}, 3, part);
  };
  complaint_of_rows("", "rows.csv");
  complaint_of_rows(kHeader, "has no rows of layers");
  complaint_of_rows("colour,taste\nred,sweet\n", "fit none of the kinds");
  complaint_of_rows(std::string(kHeader) + "k80,tf1.10,fp32,forward,softmax,10,10,nan\n",
                    "line 2: column 'time_ms'");
  complaint_of_rows(std::string(kHeader) + "k80,tf1.10,fp32,forward,softmax,10,10,inf\n",
                    "line 2: column 'time_ms'");
  complaint_of_rows(std::string(kHeader) + "k80,tf1.10,fp32,forward,softmax,10,10,-1\n",
                    "line 2: column 'time_ms'");
  complaint_of_rows(std::string(kHeader) + "k80,tf1.10,fp32,forward,softmax,10,10,0\n",
                    "line 2: column 'time_ms': '0' is not a time above zero");
  complaint_of_rows(std::string(kHeader) + "k80,tf1.10,fp32,sideways,softmax,10,10,1\n",
                    "line 2: column 'mode'");
  complaint_of_rows(std::string(kHeader) + "k80,tf1.10,fp32,forward,softmax,,10,1\n",
                    "line 2: column 'rows' is empty");
  complaint_of_rows(std::string(kHeader) + "k81,tf1.10,fp32,forward,softmax,10,10,1\n",
                    "line 2: column 'gpu': no device");
  complaint_of_rows("network,gpu,batch,mode,measured_ms\nvgg16,k80,8,training,100\n",
                    "has no rows of layers");
  complaint_of_rows(std::string("\x1f\x8b\x08\x00 damaged", 12), "rows.csv");
  check_complaint({"evaluate", folder.file("missing.csv")}, 3, "missing.csv");
  check_complaint({"evaluate"}, 2, "evaluate takes files");

  write_file(csv, softmax_rows());
  const std::string store = folder.file("bench.h5");
  REQUIRE(run_program({"data", "import", csv, "-o", store}).exit_code == 0);
  const std::string bytes = read_text(store);
  write_file(store, bytes.substr(0, bytes.size() / 2));
  check_complaint({"evaluate", store}, 3, "is a damaged store");
  check_complaint({"evaluate", csv, "--predictor", csv}, 3, "is not a predictor of layersim");
  check_complaint({"evaluate", csv, "--kinds", "conv"}, 4, "no row could be evaluated");
  check_complaint({"evaluate", csv, "--kinds", "bogus"}, 2, "--kinds: 'bogus' is neither a layer kind nor");
  check_complaint({"evaluate", csv, "--seed", "2"}, 2, "--seed goes with --leave-one-gpu-out");
  check_complaint({"evaluate", csv, "--leave-one-gpu-out", "--held-out"}, 2, "--held-out does not go with");
  check_complaint({"evaluate", csv, "--leave-one-gpu-out", "--trainer", "linear"}, 2, "two devices or more");
  check_complaint({"evaluate", csv, "--svg", "/nowhere/plot.svg"}, 2, "cannot be written");
}

TEST_CASE("each GPU of the rows is predicted by what the others taught") {
  const TemporaryFolder folder;
  const std::string csv = folder.file("rows.csv");
  std::string rows = kHeader;
  for (int i = 1; i <= 100; ++i) {
    for (const char* gpu : {"v100-sxm2", "t4"}) {
      rows += std::string(gpu) + ",pytorch2.1,fp32,forward,softmax," + std::to_string(100 * i) + ",512,0." +
              std::to_string(1000 + 10 * i) + '\n';
    }
  }
  write_file(csv, rows);
  const Json json =
      evaluate_json({csv, "--leave-one-gpu-out", "--calibration-rows", "10", "--trainer", "linear"});
  REQUIRE(json["groups"].size() == 2);
  CHECK(json["groups"][0]["gpu"] == "t4");
  CHECK(json["groups"][0]["n"] == 100);
  CHECK(json["groups"][0]["calibrated"]["mape"].get<double>() < json["groups"][0]["mape"].get<double>());
}

TEST_CASE("a column that is not in the vocabulary is warned of and does not disturb") {
  const TemporaryFolder folder;
  const std::string csv = folder.file("rows.csv");
  write_file(csv, "gpu,mode,op,rows,cols,time_ms,colour\nk80,forward,softmax,10,10,1,red\n");
  const Outcome outcome = run_program({"evaluate", csv, "--json", "-"});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.err.find("column 'colour' is not in the vocabulary") != std::string::npos);
  CHECK(Json::parse(outcome.out)["overall"]["n"] == 1);
}

TEST_CASE("every published file of layers is accepted, and its rows add up") {
  for (const char* name :
       {"neusight_rowwise", "neusight_network_ops", "deepbench_gemm", "deepbench_conv", "deepbench_rnn"}) {
    const std::string file = std::string("data/layers/") + name + ".csv.gz";
    if (!have_shared(file)) return;
    INFO(file);
    const Json json = evaluate_json({shared_path(file).string()});
    std::size_t rows = json["overall"]["n"];
    for (const Json& reason : json["not_evaluated"]) rows += reason["rows"].get<std::size_t>();
    CHECK(rows == json["files"][0]["rows"]);
    CHECK(json["overall"]["coverage90"].get<double>() <= 1);
  }
}
