// Predicted against measured runs, with a predictor whose answers are known.

#include "sim/runs/validation.h"

#include <catch2/catch.hpp>

#include "sim/core/error.h"
#include "sim/core/json.h"
#include "sim/report/validation_report.h"
#include "sim/runs/run_checks.h"
#include "tests/even_predictor.h"
#include "tests/store/temporary_folder.h"

using namespace layersim;
using namespace layersim::tests;

namespace {

constexpr const char* kTwoLayers = R"(network two opset 17
input x f32 [N, 8]
weight w f32 [8, 8]
weight v f32 [8, 4]
a = MatMul(x, w) name "first"
b = Relu(a) name "act"
y = MatMul(b, v) name "second"
output y
)";

// Predicted: 3 ms forward (two layers and the overhead), 9 ms in training.
Validation validate(const TemporaryFolder& folder, const std::string& csv, bool with_blame = false) {
  static_cast<void>(folder.write("two.txt", kTwoLayers));
  return validate_runs(read_run_table(folder.write("runs.csv", csv)), EvenPredictor(), with_blame);
}

constexpr const char* kRuns =
    "network,gpu,stack,mode,batch,measured_ms,n_gpus,note\n"
    "two.txt,k80,tf2.5,forward,1,3,1,exact\n"
    "two.txt,k80,tf2.5,forward,2,2,1,\"50 %, above\"\n"
    "two.txt,t4,,training,1,10,1,10 % below\n"
    "two.txt,t4,,training,2,18,1,\n"
    "two.txt,t4,,training,2,18,4,several\n";

}  // namespace

TEST_CASE("errors of runs, of all together and by gpu, stack, mode and network") {
  const TemporaryFolder folder;
  const Validation validation = validate(folder, kRuns);
  REQUIRE(validation.results.size() == 5);
  CHECK(validation.method == "even");
  CHECK(validation.results[0].predicted_ms == Approx(3));
  CHECK(validation.results[0].ape == Approx(0).margin(1e-12));
  CHECK(validation.results[1].ape == Approx(0.5));
  CHECK(validation.results[2].ape == Approx(0.1));
  CHECK(validation.results[3].ape == Approx(0.5));
  CHECK(validation.results[0].interval_ms->low == Approx(1 + 0.8 * 2));
  CHECK(validation.results[0].interval_ms->high == Approx(1 + 1.2 * 2));
  CHECK(validation.overall.n == 4);
  CHECK(validation.overall.mape == Approx(0.275));
  CHECK(validation.overall.median_ape == Approx(0.3));
  CHECK(validation.overall.p90_ape == Approx(0.5));
  CHECK(validation.overall.coverage90 == Approx(0.5));  // 3 in [2.6, 3.4], 10 in [7.4, 10.6]
  std::vector<std::string> names;
  for (const ErrorGroup& group : validation.groups) names.push_back(group.by + '=' + group.value);
  CHECK(names == std::vector<std::string>{"gpu=k80", "gpu=t4", "stack=", "stack=tf2.5", "mode=forward",
                                          "mode=training", "network=two.txt"});
  CHECK(validation.groups[0].errors.mape == Approx(0.25));
  CHECK(validation.groups[1].errors.n == 2);
  CHECK(validation.groups[1].errors.mape == Approx(0.3));
}

TEST_CASE("a run whose batch has too few samples for its GPUs is counted and said to be left out") {
  const TemporaryFolder folder;
  const Validation validation = validate(folder, kRuns);
  CHECK_FALSE(validation.results[4].is_predicted());
  CHECK(validation.results[4].not_predicted.find("less than one sample for each of 4 GPUs") !=
        std::string::npos);
  CHECK(validation_table(validation, {}, {}).find("1 of 5 runs are left out: a batch of 2 has less") !=
        std::string::npos);
  const Json json = Json::parse(validation_json(validation, {}));
  CHECK(json["n"] == 4);
  CHECK(json["not_predicted"] == 1);
  CHECK(json["runs"][4]["predicted_ms"].is_null());
}

TEST_CASE("limits on the mean and on single errors") {
  const TemporaryFolder folder;
  const Validation validation = validate(folder, kRuns);
  CHECK(check_runs(validation, {}).empty());
  const auto good = check_runs(validation, {.max_mape = 0.28, .max_ape = 0.51, .baseline_file = ""});
  REQUIRE(good.size() == 2);
  CHECK(good[0].holds);
  CHECK(good[1].holds);
  const auto bad = check_runs(validation, {.max_mape = 0.27, .max_ape = 0.49, .baseline_file = ""});
  CHECK_FALSE(bad[0].holds);
  CHECK(bad[0].result == "MAPE 27.5 %, at most 27 % allowed");
  CHECK_FALSE(bad[1].holds);
  REQUIRE(bad[1].failing_runs.size() == 2);
  CHECK(bad[1].failing_runs[0].first == 1);
  CHECK(bad[1].failing_runs[1].first == 3);
}

TEST_CASE("against an older result: what got worse fails, and what got better does not") {
  const TemporaryFolder folder;
  const auto check = [&](const std::string& old_csv, const std::string& new_csv) {
    const std::string baseline = folder.write("old.json", validation_json(validate(folder, old_csv), {}));
    return check_runs(validate(folder, new_csv), {.max_mape = {}, .max_ape = {}, .baseline_file = baseline})
        .front();
  };
  const std::string header = "network,gpu,mode,batch,measured_ms,n_gpus\n";
  const std::string better = header + "two.txt,k80,forward,1,3.3,1\ntwo.txt,t4,forward,1,3.3,1\n";
  const std::string worse = header + "two.txt,k80,forward,1,3.3,1\ntwo.txt,t4,forward,1,3.4,1\n";
  CHECK(check(better, better).holds);
  CHECK(check(worse, better).holds);
  const RunCheck regression = check(better, worse);
  CHECK_FALSE(regression.holds);
  REQUIRE(regression.failing_runs.size() == 1);
  CHECK(regression.failing_runs[0].first == 1);
  CHECK(regression.failing_runs[0].second == "error 11.8 %, was 9.09 %");
  // One run worse, the mean better: fails all the same.
  const std::string mixed = header + "two.txt,k80,forward,1,3,1\ntwo.txt,t4,forward,1,3.4,1\n";
  CHECK_FALSE(check(better, mixed).holds);
  // Within the tolerance.
  CHECK(check(better, header + "two.txt,k80,forward,1,3.302,1\ntwo.txt,t4,forward,1,3.302,1\n").holds);
  // Runs that are new say so, and count for the mean alone.
  const RunCheck longer = check(better, better + "two.txt,p4,forward,1,3,1\n");
  CHECK(longer.holds);
  CHECK(longer.result.find("; 1 new") != std::string::npos);
  // The same run twice: each is compared with its own.
  const std::string twice = header + "two.txt,k80,forward,1,3,1\ntwo.txt,k80,forward,1,6,1\n";
  CHECK(check(twice, twice).holds);
  CHECK(check(header + "two.txt,k80,forward,1,3,1\ntwo.txt,k80,forward,1,3,2\n",
              header + "two.txt,k80,forward,1,3,1\ntwo.txt,k80,forward,1,3,2\n")
            .holds);
}

TEST_CASE("a baseline that is none is a bad input that names file and key") {
  const TemporaryFolder folder;
  const Validation validation = validate(folder, kRuns);
  const auto complaint = [&](const std::string& text) -> std::string {
    const std::string file = folder.write("old.json", text);
    try {
      static_cast<void>(check_runs(validation, {.max_mape = {}, .max_ape = {}, .baseline_file = file}));
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::bad_input);
      return std::string(error.what()).substr(file.size());
    }
    return "none";
  };
  CHECK(complaint("no json") == ": is no JSON object");
  CHECK(complaint("[]") == ": is no JSON object");
  CHECK(complaint("{}") == ": key 'mape' is missing or no number");
  CHECK(complaint(R"({"mape": 0.1})") == ": key 'runs' is missing or no list");
  CHECK(complaint(R"({"mape": 0.1, "runs": [{"network": 3}]})") ==
        ": runs[0]: key 'network' is missing or no text");
  CHECK_THROWS_WITH(check_runs(validation, {.max_mape = {}, .max_ape = {}, .baseline_file = "/no/such"}),
                    "/no/such: cannot be read");
}

TEST_CASE("measured layers tell which of them explain the difference") {
  const TemporaryFolder folder;
  static_cast<void>(
      folder.write("layers.csv", "layer,measured_ms\nfirst,1.5\nsecond,5\nact,0.25\nother,0.125\n"));
  static_cast<void>(folder.write("passes.csv", "index,forward_ms,backward_ms\n2,2,3\n0,1,2.5\n9,1,1\n"));
  const std::string csv =
      "network,gpu,mode,batch,measured_ms,layer_times\n"
      "two.txt,k80,forward,1,8,layers.csv\n"
      "two.txt,k80,training,1,9,passes.csv\n"
      "two.txt,k80,training,2,9,\n";
  const Validation validation = validate(folder, csv, true);
  REQUIRE(validation.results[0].blame);
  const Blame& blame = *validation.results[0].blame;
  REQUIRE(blame.layers.size() == 2);
  CHECK(blame.layers[0].name == "second");
  CHECK(blame.layers[0].index == 2);
  CHECK(blame.layers[0].kind == "dense");
  CHECK(blame.layers[0].predicted_ms == 1);
  CHECK(blame.layers[0].difference_ms() == -4);
  CHECK(blame.layers[0].share == Approx(4 / 4.75));
  CHECK(blame.layers[1].measured_ms == 1.75);  // with the activation that is fused into it
  CHECK(blame.unmatched == std::vector<std::string>{"other"});
  CHECK(blame.unmatched_ms == 0.125);
  const Blame& passes = *validation.results[1].blame;
  REQUIRE(passes.layers.size() == 2);
  CHECK(passes.layers[0].name == "second");
  CHECK(passes.layers[0].measured_ms == 5);
  CHECK(passes.layers[0].predicted_ms == 4);
  CHECK(passes.layers[1].measured_ms == 3.5);
  CHECK_FALSE(validation.results[2].blame);
  const std::string text = validation_table(validation, {}, {});
  CHECK(text.find("layers that explain the difference") != std::string::npos);
  CHECK(text.find("1 measured layers (0.125 ms) are none of the network's: other") != std::string::npos);
  CHECK(Json::parse(validation_json(validation, {}))["runs"][0]["blame"]["layers"][0]["name"] == "second");
  CHECK_FALSE(validate(folder, csv, false).results[0].blame);
}

TEST_CASE("a damaged file of measured layers is told by file, line and column") {
  const TemporaryFolder folder;
  const auto complaint = [&](const std::string& layers) -> std::string {
    static_cast<void>(folder.write("layers.csv", layers));
    try {
      static_cast<void>(
          validate(folder, "network,gpu,batch,measured_ms,layer_times\ntwo.txt,k80,1,8,layers.csv\n", true));
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::bad_input);
      return error.what();
    }
    return "none";
  };
  const std::string start = folder.file("runs.csv") + ": line 2: " + folder.file("layers.csv") + ": ";
  CHECK(complaint("layer,measured_ms\nfirst,x\n") ==
        start + "line 2: column 'measured_ms': 'x' is not a time");
  CHECK(complaint("name,measured_ms\n") == start + "has no column 'layer' or 'index'");
  CHECK(complaint("layer,time\n") == start + "has no column 'measured_ms', 'forward_ms' or 'backward_ms'");
  CHECK(complaint("index,measured_ms\n-1,2\n").starts_with(start + "line 2: column 'index': "));
}

TEST_CASE("a run whose network does not take its sizes is told by its line") {
  const TemporaryFolder folder;
  CHECK_THROWS_WITH(validate(folder, "network,gpu,batch,measured_ms,input\ntwo.txt,k80,1,8,x=1x9\n"),
                    Catch::StartsWith(folder.file("runs.csv") + ": line 2: two.txt: "));
}

TEST_CASE("all formats of a validation tell the same runs") {
  const TemporaryFolder folder;
  const Validation validation = validate(folder, kRuns);
  const auto checks = check_runs(validation, {.max_mape = 0.27, .max_ape = 0.4, .baseline_file = ""});
  const Json json = Json::parse(validation_json(validation, checks));
  CHECK(json["mape"].get<double>() == Approx(0.275));
  CHECK(json["runs"].size() == 5);
  CHECK(json["runs"][1]["note"] == "50 %, above");
  CHECK(json["runs"][1]["ape"].get<double>() == Approx(0.5));
  CHECK(json["runs"][2]["stack"].is_null());
  CHECK(json["groups"][0]["by"] == "gpu");
  CHECK(json["groups"][0]["gpu"] == "k80");
  CHECK(json["groups"][0]["mape"].get<double>() == Approx(0.25));
  CHECK(json["checks"][0]["holds"] == false);

  const std::string csv = validation_csv(validation);
  CHECK(csv.starts_with(
      "network,gpu,stack,mode,batch,measured_ms,n_gpus,note,predicted_ms,low_ms,high_ms,ape,"));
  CHECK(csv.find("two.txt,k80,tf2.5,forward,2,2,1,\"50 %, above\",3,2.6") != std::string::npos);
  CHECK(csv.find(",several,,,,,a batch of 2 has less") != std::string::npos);

  const std::string junit = validation_junit(validation, checks);
  CHECK(junit.find(R"(tests="7" failures="4" errors="0" skipped="1")") != std::string::npos);
  CHECK(junit.find(R"(<testcase classname="checks" name="--max-mape"><failure message="MAPE 27.5 %)") !=
        std::string::npos);
  CHECK(junit.find("classname=\"k80.tf2.5\" name=\"two.txt batch 2, forward, fp32 (line 3)\"><failure ") !=
        std::string::npos);
  CHECK(junit.find("<skipped message=\"a batch of 2 has less") != std::string::npos);

  const std::string table = validation_table(validation, checks, {});
  CHECK(table.find("+50.0 %") != std::string::npos);
  CHECK(table.find("-10.0 %") != std::string::npos);
  CHECK(table.find("FAILS   --max-mape: MAPE 27.5 %, at most 27 % allowed") != std::string::npos);
}

TEST_CASE("a long table shows the largest errors, unless all runs are asked for") {
  const TemporaryFolder folder;
  std::string csv = "network,gpu,mode,batch,measured_ms\n";
  for (int i = 1; i <= 70; ++i) csv += "two.txt,k80,forward,1," + std::to_string(100 + i) + '\n';
  const Validation validation = validate(folder, csv);
  const std::string brief = validation_table(validation, {}, {});
  CHECK(brief.find(" 170 ") != std::string::npos);
  CHECK(brief.find(" 101 ") == std::string::npos);
  CHECK(brief.find("the 20 largest errors of 70 runs") != std::string::npos);
  CHECK(validation_table(validation, {}, {.width = 100, .all_runs = true}).find(" 101 ") !=
        std::string::npos);
}
