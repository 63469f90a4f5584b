// layersim transfer, as a user calls it.

#include <catch2/catch.hpp>

#include "sim/core/json.h"
#include "tests/cli/program.h"

using namespace layersim;
using namespace layersim::tests;

namespace {

// Convolutions take 8 times as long on a k80 as on a v100-sxm2, activations 3 times.
std::string profile_rows() {
  std::string text =
      "gpu,model,pixel,batch,profiled_steps,batch_ms,device_conv2d_ms,device_relu_ms,device_idle_ms\n";
  const std::vector<std::pair<std::string, double>> networks{{"a", 0.8}, {"b", 0.5}, {"c", 0.3}};
  for (const auto& [network, share] : networks) {
    for (const int batch : {16, 32, 64, 128}) {
      for (const bool is_k80 : {true, false}) {
        const double conv_ms = share * batch / (is_k80 ? 1 : 8);
        const double relu_ms = (1 - share) * batch / (is_k80 ? 1 : 3);
        text += std::string(is_k80 ? "k80" : "v100-sxm2") + ',' + network + ",32," + std::to_string(batch) +
                ",2," + std::to_string(conv_ms + relu_ms) + ',' + std::to_string(2 * conv_ms) + ',' +
                std::to_string(2 * relu_ms) + ",0\n";
      }
    }
  }
  return text;
}

}  // namespace

TEST_CASE("transfer: train, evaluate, predict and scale") {
  const TemporaryFolder folder;
  const std::string rows = folder.file("rows.csv");
  const std::string predictor = folder.file("transfer.h5");
  write_file(rows, profile_rows());
  const Json trained = run_json({"transfer", "train", rows, "-o", predictor});
  CHECK(trained["pairs"].size() == 2);
  CHECK(trained["networks"].size() == 3);

  const Json left_out =
      run_json({"transfer", "evaluate", rows, "--leave-one-network-out", "--anchor", "k80"});
  CHECK(left_out["left_out"] == "network");
  REQUIRE(left_out["groups"].size() == 1);
  CHECK(left_out["groups"][0]["target"] == "v100-sxm2");
  CHECK(left_out["overall"]["n"] == 12);
  CHECK(left_out["overall"]["mape"].get<double>() <
        left_out["overall"]["scaled_anchor"]["mape"].get<double>());
  CHECK(left_out["batch_scaling"]["overall"]["mape"].get<double>() < 1e-3);

  const Json seen = run_json({"transfer", "evaluate", rows, "--predictor", predictor});
  CHECK(seen["trained_on"] == Json({"a", "b", "c"}));
  CHECK(seen["overall"]["n"] == 24);

  const std::string list = folder.file("profile.csv");
  write_file(list, "operation,time_ms\nConv2D,120\nRelu,60\nStrangeThing,1\n");
  const std::vector<std::string> predict{"transfer", "predict",   list,          "--anchor", "k80",
                                         "--target", "v100-sxm2", "--predictor", predictor};
  check_complaint(predict, 3, "--steps N");
  std::vector<std::string> with_steps(predict);
  with_steps.insert(with_steps.end(), {"--steps", "2"});
  const Json predicted = run_json(with_steps);
  CHECK(predicted["batch_ms"].get<double>() == Approx(60. / 8 + 30. / 3).epsilon(0.15));
  CHECK(predicted["batch_ms_low"] <= predicted["batch_ms"]);
  CHECK(predicted["anchor_ms"].get<double>() == Approx(90.5));
  CHECK(predicted["mapped"][0]["name"] == "StrangeThing");
  CHECK(predicted["mapped"][0]["mapped_to"].is_null());

  const Json scaled = run_json({"transfer", "scale", "--target", "k80", "--known", "16=10", "--known",
                                "48=30", "--at", "32", "--predictor", predictor});
  CHECK(scaled["batch_ms"].get<double>() == Approx(20).epsilon(0.01));
  CHECK(scaled["warnings"].empty());
  const Outcome falling = run_program({"transfer", "scale", "--target", "k80", "--known", "16=30", "--known",
                                       "48=10", "--at", "32", "--predictor", predictor});
  CHECK(falling.exit_code == 0);
  CHECK(falling.err == "warning: --known: size 48 takes less time than 16, 10 ms instead of 30\n");
}

TEST_CASE("transfer: the predictor that comes along, and what is wrong use") {
  const TemporaryFolder folder;
  const std::string list = folder.file("profile.csv");
  write_file(list, "operation,time_ms\nConv2D,120\nRelu,60\n");
  const Json predicted =
      run_json({"transfer", "predict", list, "--steps", "1", "--anchor", "k80", "--target", "v100-sxm2"});
  CHECK(predicted["batch_ms"].get<double>() < 90);
  CHECK(predicted["batch_ms"].get<double>() > 9);
  check_complaint({"transfer", "predict", list, "--anchor", "k80", "--target", "h100-sxm"}, 2,
                  "targets k80, m60, t4, v100-sxm2");
  check_complaint({"transfer", "predict", list}, 2, "--anchor");
  check_complaint({"transfer"}, 2, "transfer what?");
  write_file(list, "{\"nodes\": []}");
  check_complaint({"transfer", "profile", list}, 3, "without traceEvents");
}

TEST_CASE("transfer: a table that cannot be trained on is refused before the trainer's library is loaded") {
  const TemporaryFolder folder;
  const std::string profiles = folder.file("profiles.csv");
  const auto check = [&](const std::string& rows, int exit_code, const std::string& why) {
    write_file(profiles, rows);
    check_complaint_before_loading("layersim_torch.so",
                                   {"transfer", "train", profiles, "-o", folder.file("transfer.h5")},
                                   exit_code, why);
  };
  check("operation,time_ms\nConv2D,x\n", 3, "profiles.csv");
  const std::string header = "gpu,model,pixel,batch,profiled_steps,batch_ms,device_conv2d_ms\n";
  const std::string one_device = header + "k80,a,32,16,2,10,20\nk80,b,32,16,2,10,20\n";
  check(one_device, 2, "training needs profiles of the same networks on two devices");
  const std::string one_network = one_device + "t4,a,32,16,2,5,10\n";
  check(one_network, 2, "needs two networks that were profiled on k80 and t4");
  const auto check_evaluate = [&](const char* anchor, const std::string& why) {
    check_complaint_before_loading(
        "layersim_torch.so",
        {"transfer", "evaluate", profiles, "--leave-one-network-out", "--anchor", anchor}, 2, why);
  };
  check_evaluate("t4", "needs two networks that were profiled on t4 and k80");
  check_evaluate("m60", "the rows have no such pair of anchor and target");
  check(header + "k81,a,32,16,2,10,20\n", 3, "profiles.csv: line 2, 'gpu': no device is named 'k81'");
  check(header + "k80,a,32,0,2,10,20\n", 3, "profiles.csv: line 2, 'batch': must be above 0");
  for (const std::string batch : {"8.5", "1e300"})
    check(header + "k80,a,32," + batch + ",2,10,20\n", 3,
          "profiles.csv: line 2, 'batch': must be a whole number up to 2^31");
  check("n_gpus," + header + "4,k80,a,32,16,2,10,20\n", 3,
        "profiles.csv: line 2, 'n_gpus': a profile is of one device");
  check(header + "k80,a,32,16,2,1e-9,20\n", 3, "profiles.csv: line 2: a step takes <0.00001 ms");
  check(header + "k80,a,32,16,2,0,20\n", 3, "profiles.csv: line 2, 'batch_ms': must be above 0");
}

TEST_CASE("transfer scale warns of a device that the predictor does not know") {
  const std::vector<std::string> known{"transfer", "scale",   "--known", "16=10",
                                       "--known",  "256=100", "--at",    "64"};
  const auto scaled = [&](const char* gpu) {
    std::vector<std::string> arguments(known);
    arguments.insert(arguments.end(), {"--target", gpu});
    CHECK(run_json(arguments)["warnings"].size() == (run_program(arguments).err.empty() ? 0 : 1));
    return run_program(arguments).err;
  };
  CHECK(scaled("t4").empty());
  CHECK(
      scaled("h100-sxm") ==
      "warning: the predictor has no profiles of h100-sxm: a guess by the mean of k80, m60, t4, v100-sxm2\n");
}
