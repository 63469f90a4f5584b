// layersim telemetry, as a user calls it.

#include <catch2/catch.hpp>

#include "sim/core/json.h"
#include "tests/cli/program.h"

using namespace layersim;
using namespace layersim::tests;

TEST_CASE("telemetry epochs") {
  const TemporaryFolder folder;
  const std::string log = folder.file("gpu.csv");
  std::string text = "timestamp, power.draw [W]\n";
  for (int i = 0; i < 410; ++i) {
    const std::string minute = std::to_string(10 + i / 60);
    const std::string second = std::to_string(i % 60);
    text += "2026/01/31 10:" + minute + ':' + (second.size() < 2 ? "0" : "") + second + ".000, " +
            (i % 40 < 34 ? "250" : "120") + ".00 W\n";
  }
  write_file(log, text);
  const Json json = run_json({"telemetry", "epochs", log});
  CHECK(json["period_s"].get<double>() == Approx(40).epsilon(0.01));
  CHECK(json["epochs"] == 10);
  CHECK(json["confidence"].get<double>() > 0.5);
  CHECK(json["boundaries_s"].size() == 11);
  CHECK(run_program({"telemetry", "epochs", log}).out.find("epoch      40.0 s, 10 of them") !=
        std::string::npos);
  write_file(log, "a,b\n");
  check_complaint({"telemetry", "epochs", log}, 3, "no column 'timestamp'");
  check_complaint({"telemetry", "epochs"}, 2, "takes one log");

  std::string flat = "timestamp, power.draw [W]\n";
  for (int i = 10; i < 60; ++i) flat += "2026/01/31 10:10:" + std::to_string(i) + ".000, 250.00 W\n";
  write_file(log, flat);
  const Outcome none = run_program({"telemetry", "epochs", log, "--json", "-"});
  CHECK(none.exit_code == 4);
  CHECK(Json::parse(none.out)["period_s"].is_null());
  CHECK(none.err.find("gpu.csv: no metric repeats itself, no epochs are told") != std::string::npos);
}

TEST_CASE("telemetry predict with the predictor that comes along") {
  const TemporaryFolder folder;
  const std::string log = folder.file("gpu.csv");
  std::string text =
      "timestamp, clocks.sm [MHz], power.draw [W], utilization.gpu [%], utilization.memory [%]\n";
  for (int i = 0; i < 410; ++i) {
    const std::string second = std::to_string(i % 60);
    const bool trains = i % 40 < 34;
    text += "2026/01/31 10:" + std::to_string(10 + i / 60) + ':' + (second.size() < 2 ? "0" : "") + second +
            ".000, 1200 MHz, " + (trains ? "68.00 W, 97 %, 60 %\n" : "40.00 W, 55 %, 20 %\n");
  }
  write_file(log, text);
  const std::vector<std::string> predict{"telemetry", "predict", log,  "--anchor",       "t4",  "--target",
                                         "v100-sxm2", "--batch", "64", "--dataset-size", "5000"};
  const Json json = run_json(predict);
  CHECK(json["anchor_epoch_s"].get<double>() == Approx(40).epsilon(0.01));
  CHECK(json["epoch_s"].get<double>() > 8);
  CHECK(json["epoch_s"].get<double>() < 40);
  CHECK(json["epoch_s_low"] < json["epoch_s"]);
  CHECK(json["warnings"].empty());
  check_complaint({"telemetry", "predict", log, "--anchor", "t4", "--target", "v100-sxm2"}, 2,
                  "--dataset-size");
  write_file(log, "timestamp, power.draw [W]\n" + text.substr(text.find('\n') + 1));
  check_complaint(predict, 3, "too few");
}

TEST_CASE("telemetry: jobs that are too few are refused before the trainer's library is loaded") {
  const TemporaryFolder folder;
  const std::string jobs = folder.file("jobs.csv");
  std::string header = "gpu,model,batch,pixel,dataset_size,epoch_s";
  std::string readings;
  for (const char* metric :
       {"utilization_gpu_pct", "utilization_memory_pct", "power_draw_w", "clocks_current_sm_mhz"}) {
    for (const char* statistic : {"_mean", "_std", "_min", "_p25", "_p50", "_p75", "_max"}) {
      header += std::string(",") + metric + statistic;
      readings += ",50";
    }
  }
  write_file(jobs, header + "\nt4,a,16,32,1000,10" + readings + "\nk80,a,16,32,1000,30" + readings + '\n');
  const auto check = [&](std::vector<std::string> arguments, const std::string& why) {
    arguments.insert(arguments.begin() + 2, jobs);
    check_complaint_before_loading("layersim_xgboost.so", arguments, 3, jobs + ": " + why);
  };
  check({"telemetry", "train", "-o", folder.file("t.h5")}, "learning needs two jobs or more");
  check({"telemetry", "evaluate", "--leave-one-network-out"},
        "leaving networks or jobs out needs two of them");
  check({"telemetry", "evaluate", "--leave-jobs-out"}, "leaving networks or jobs out needs two of them");
  write_file(jobs, header + "\nt5,a,16,32,1000,10" + readings + '\n');
  check({"telemetry", "evaluate"}, "line 2, 'gpu': no device is named 't5'");
  // Two names of one device.
  write_file(jobs,
             header + "\nt4,a,16,32,1000,10" + readings + "\nTesla T4,a,16,32,1000,30" + readings + '\n');
  check({"telemetry", "evaluate"}, "the rows have no job that ran on two devices");
}
