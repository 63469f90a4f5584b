#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "sim/core/config_dir.h"
#include "sim/core/json.h"
#include "sim/predictors/predictor_file.h"
#include "tests/cli/program.h"

using namespace layersim;
using namespace layersim::tests;

namespace {

// Softmax rows on two devices that follow a law.
std::string softmax_rows() {
  std::string text = "gpu,framework,mode,op,rows,cols,time_ms\n";
  for (int i = 1; i <= 400; ++i) {
    const bool fast = i % 2 == 0;
    const int rows = 1 + 37 * i % 2000;
    const int cols = 1 + 91 * i % 1500;
    text += std::string(fast ? "v100-sxm2" : "k80") + ",pytorch2.1,forward,softmax," + std::to_string(rows) +
            ',' + std::to_string(cols) + ',' + std::to_string(0.02 + 8.0 * rows * cols / (fast ? 6e8 : 2e8)) +
            '\n';
  }
  return text;
}

Json train(const std::vector<std::string>& files, const std::string& output, const std::string& seed) {
  std::vector<std::string> arguments{"train"};
  arguments.insert(arguments.end(), files.begin(), files.end());
  arguments.insert(arguments.end(), {"-o", output, "--trainer", "linear", "--seed", seed, "--json", "-"});
  const Outcome outcome = run_program(arguments);
  INFO("error: " << outcome.err);
  REQUIRE(outcome.exit_code == 0);
  return Json::parse(outcome.out);
}

}  // namespace

TEST_CASE("the same seed gives the same held-out errors, and the file tells which rows it is from") {
  const TemporaryFolder folder;
  const std::string csv = folder.file("rows.csv");
  const std::string store = folder.file("bench.h5");
  write_file(csv, softmax_rows());
  REQUIRE(run_program({"data", "import", csv, "-o", store}).exit_code == 0);
  const Json first = train({store}, folder.file("a.h5"), "7");
  const Json second = train({store}, folder.file("b.h5"), "7");
  CHECK(first == second);
  CHECK(first["seed"] == 7);
  REQUIRE(first["networks"].size() == 1);
  CHECK(first["networks"][0]["overall"]["n"].get<int>() > 40);
  CHECK(first["networks"][0]["overall"]["mape"].get<double>() < 0.2);
  CHECK(train({store}, folder.file("c.h5"), "8")["networks"] != first["networks"]);

  const Json from_csv = train({csv}, folder.file("d.h5"), "7");
  CHECK(from_csv["networks"] == first["networks"]);
  const std::string source = from_csv["sources"][0];
  CHECK(source.starts_with("rows.csv sha256 "));
  CHECK(first["sources"][0] == source + ", 400 rows of kind 'rowwise'");
}

TEST_CASE("a training that cannot be done leaves no file") {
  const TemporaryFolder folder;
  const std::string csv = folder.file("rows.csv");
  write_file(csv, softmax_rows());
  const std::string output = folder.file("p.h5");
  CHECK(run_program({"train", csv, "-o", output, "--kinds", "conv"}).exit_code == 2);
  CHECK(run_program({"train", csv}).exit_code == 2);
  CHECK(run_program({"train", csv, "-o", output, "--trainer", "oracle"}).exit_code == 2);
  check_complaint({"train", csv, "-o", folder.file("no/p.h5"), "--trainer", "linear"}, 2,
                  "cannot be written");
  CHECK(run_program({"train", folder.file("none.csv"), "-o", output}).exit_code == 3);
  write_file(csv, "gpu,framework,mode,op,rows,cols,time_ms\n");
  check_complaint({"train", csv, "-o", output}, 3, csv + ": ");
  CHECK_FALSE(std::filesystem::exists(output));
}

TEST_CASE("operators within networks go with runs, and tell their network") {
  const TemporaryFolder folder;
  const std::string operators = folder.file("operators.csv");
  write_file(operators,
             "gpu,framework,precision,mode,model,op_index,op,gemm_batch,m,n,k,input_shapes,output_shape,"
             "forward_ms,backward_ms,accumulate_ms\n"
             "t4,pytorch2.1,fp32,forward,bert,1,linear,1,24,32,16,,,0.5,,\n"
             "t4,pytorch2.1,fp32,forward,,2,linear,1,24,32,16,,,0.5,,\n");
  const std::string output = folder.file("p.h5");
  const Outcome alone = run_program({"train", operators, "-o", output});
  CHECK(alone.exit_code == 3);
  CHECK_THAT(
      alone.err,
      Catch::Contains(operators + ": operators that were timed within networks are for --runs FILE alone"));
  const std::string runs = folder.file("runs.csv");
  write_file(runs, "network,gpu,stack,mode,batch,measured_ms\nlenet5,t4,pytorch2.1,forward,1,1\n");
  check_complaint({"train", operators, "--runs", runs, "-o", output}, 3,
                  operators + ": line 3: column 'model' is empty");
  write_file(operators,
             "gpu,framework,precision,mode,model,op_index,op,gemm_batch,m,n,k,input_shapes,output_shape,"
             "forward_ms,backward_ms,accumulate_ms\n"
             "t4,pytorch2.1,fp32,training,bert,1,linear,1,24,32,16,,,0.5,0.5,0.1\n"
             "t4,pytorch2.1,fp32,training,bert,2,embedding,,,,,1x24,1x24x32,0.5,0.5,0.1\n");
  write_file(runs, "network,gpu,stack,mode,batch,measured_ms\nlenet5,t4,pytorch2.1,forward,1,often\n");
  CHECK_THAT(
      run_program({"train", operators, "--runs", runs, "-o", output}).err,
      Catch::Contains(operators + ": 1 of 2 rows of kind 'network_ops'") &&
          Catch::Contains("(1 row: operator 'embedding' in training: the size of its table is not told)"));
}

TEST_CASE("rows of the sampler teach pools and norms as well as products") {
  const TemporaryFolder folder;
  const std::string store = folder.file("rows.h5");
  const std::string predictor = folder.file("predictor.h5");
  REQUIRE(run_program({"sample", "--device", "fake", "--gpu", "t4", "--kinds", "pool,norm,dense", "--n",
                       "600", "-o", store})
              .exit_code == 0);
  REQUIRE(run_program({"train", store, "-o", predictor, "--trainer", "linear"}).exit_code == 0);
  const Json network = run_json({"lenet5", "--gpu", "t4", "--predictor", predictor});
  std::map<std::string, std::string> basis;
  for (const Json& layer : network["layers"]) {
    basis.emplace(layer["kind"].get<std::string>(), layer["basis"].get<std::string>());
  }
  CHECK(basis["pool"] == "trained");
  CHECK(basis["dense"] == "trained");
  CHECK(basis["conv"] == "estimated");
}

TEST_CASE("kinds that a predictor has not learned follow from the data sheet, and are not covered") {
  const TemporaryFolder folder;
  const std::string store = folder.file("rows.h5");
  const std::string predictor = folder.file("dense.h5");
  REQUIRE(run_program({"sample", "--device", "fake", "--gpu", "t4", "--kinds", "conv,dense", "--n", "400",
                       "-o", store})
              .exit_code == 0);
  REQUIRE(
      run_program({"train", store, "-o", predictor, "--trainer", "linear", "--kinds", "dense"}).exit_code ==
      0);
  const std::vector<std::string> question{"lenet5", "--gpu", "t4", "--predictor", predictor};
  const Json network = run_json(question);
  for (const Json& layer : network["layers"]) {
    if (layer.contains("fused_into")) continue;
    const bool is_dense = layer["kind"] == "dense";
    CHECK(layer["basis"] == (is_dense ? "trained" : "estimated"));
    CHECK(layer.contains("unmodelled_reason") == (layer["basis"] == "estimated"));
    CHECK(layer["forward_ms"] > 0);
  }
  CHECK(network["coverage"]["modelled"] < network["coverage"]["layers"]);
  CHECK(network["coverage"]["macs_share"] < 0.5);
  const std::string kinds = "has not learned these kinds of layers, whose times are estimates: conv, pool";
  CHECK_THAT(network["warnings"].dump(), Catch::Contains(kinds));
  CHECK(network["method_statement"] ==
        "linear regressions on FLOP trained on measured layers; what was not measured is estimated");

  const Json compared = run_json({"compare", "lenet5", "--gpus", "t4", "--predictor", predictor});
  CHECK_THAT(compared.dump(), Catch::Contains(kinds));
  write_file(folder.file("runs.csv"), "network,gpu,mode,batch,measured_ms\nlenet5,t4,forward,8,1\n");
  const Json validated = run_json({"validate", folder.file("runs.csv"), "--predictor", predictor});
  CHECK(validated["runs"][0]["estimated_layers"] == 4);
  check_complaint({"evaluate", store, "--predictor", predictor, "--kinds", "conv"}, 4,
                  "the predictor has no network for layers of kind 'conv'");
}

TEST_CASE("a store with few rows of some kinds trains the others, and says what is missing") {
  const TemporaryFolder folder;
  const std::string softmax = folder.file("softmax.csv");
  const std::string dense = folder.file("dense.csv");
  const std::string output = folder.file("p.h5");
  write_file(softmax, softmax_rows());
  std::string rows = "gpu,framework,mode,batch,in_features,out_features,time_ms\n";
  for (int i = 1; i <= 20; ++i) rows += "k80,pytorch2.1,forward," + std::to_string(i) + ",64,64,0.1\n";
  write_file(dense, rows);
  const Outcome some = run_program({"train", softmax, dense, "-o", output, "--trainer", "linear"});
  INFO(some.err);
  CHECK(some.exit_code == 0);
  CHECK(read_predictor_file(output).networks.size() == 1);
  CHECK_THAT(some.err, Catch::Contains("warning: " + dense + ": gemm@* is not trained: 20 rows, ") &&
                           Catch::Contains("the least is 50\n"));
  check_complaint({"train", dense, "-o", folder.file("q.h5"), "--trainer", "linear"}, 3,
                  dense + ": too few rows to train on: gemm@* has 20 rows, ");
  CHECK_FALSE(std::filesystem::exists(folder.file("q.h5")));
}

TEST_CASE("a run model is taken from one predictor beside the layers of another") {
  const TemporaryFolder folder;
  const std::string csv = folder.file("rows.csv");
  write_file(csv, softmax_rows());
  const std::string layers = folder.file("layers.h5");
  static_cast<void>(train({csv}, layers, "7"));
  const std::string shipped = config_dir() / "predictors" / "layerwise.h5";
  const std::string both = folder.file("both.h5");
  REQUIRE(run_program({"train", "--layers-from", layers, "--runs-from", shipped, "-o", both}).exit_code == 0);
  const PredictorFile predictor = read_predictor_file(both);
  CHECK(predictor.networks.size() == 1);
  REQUIRE(predictor.runs);
  CHECK(predictor.runs->networks.size() == read_predictor_file(shipped).runs->networks.size());
  CHECK(predictor.provenance.sources.front().starts_with("rows.csv"));
  const Json recurrent = run_json({"lstm_lm", "--gpu", "t4", "--batch", "8", "--predictor", both});
  for (const Json& layer : recurrent["layers"]) {
    CHECK(layer["basis"] == (layer["kind"] == "recurrent" ? "estimated" : "trained"));
    CHECK(layer["forward_ms"] > 0);
  }
  CHECK_THAT(recurrent["warnings"].dump(), Catch::Contains("whose times are estimates: recurrent\""));
  CHECK(run_program({"train", "--layers-from", shipped, "--runs-from", layers, "-o", both}).exit_code == 3);
  CHECK(run_program({"train", "--runs-from", layers, "-o", both}).exit_code == 2);
}
