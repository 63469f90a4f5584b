// The commands of the other methods, as a user calls them.

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>

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
  const Json trained = parse_output({"transfer", "train", rows, "-o", predictor, "--json", "-"});
  CHECK(trained["pairs"].size() == 2);
  CHECK(trained["networks"].size() == 3);

  const Json left_out = parse_output(
      {"transfer", "evaluate", rows, "--leave-one-network-out", "--anchor", "k80", "--json", "-"});
  CHECK(left_out["left_out"] == "network");
  REQUIRE(left_out["groups"].size() == 1);
  CHECK(left_out["groups"][0]["target"] == "v100-sxm2");
  CHECK(left_out["overall"]["n"] == 12);
  CHECK(left_out["overall"]["mape"].get<double>() <
        left_out["overall"]["scaled_anchor"]["mape"].get<double>());
  CHECK(left_out["batch_scaling"]["overall"]["mape"].get<double>() < 1e-3);

  const Json seen = parse_output({"transfer", "evaluate", rows, "--predictor", predictor, "--json", "-"});
  CHECK(seen["trained_on"] == Json({"a", "b", "c"}));
  CHECK(seen["overall"]["n"] == 24);

  const std::string list = folder.file("profile.csv");
  write_file(list, "operation,time_ms\nConv2D,120\nRelu,60\nStrangeThing,1\n");
  const std::vector<std::string> predict{"transfer",  "predict",     list,      "--anchor", "k80", "--target",
                                         "v100-sxm2", "--predictor", predictor, "--json",   "-"};
  check_complaint(predict, 3, "--steps N");
  std::vector<std::string> with_steps(predict);
  with_steps.insert(with_steps.end(), {"--steps", "2"});
  const Json predicted = parse_output(with_steps);
  CHECK(predicted["batch_ms"].get<double>() == Approx(60. / 8 + 30. / 3).epsilon(0.15));
  CHECK(predicted["batch_ms_low"] <= predicted["batch_ms"]);
  CHECK(predicted["anchor_ms"].get<double>() == Approx(90.5));
  CHECK(predicted["mapped"][0]["name"] == "StrangeThing");
  CHECK(predicted["mapped"][0]["mapped_to"].is_null());

  const Json scaled = parse_output({"transfer", "scale", "--target", "k80", "--known", "16=10", "--known",
                                    "48=30", "--at", "32", "--predictor", predictor, "--json", "-"});
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
  const Json predicted = parse_output({"transfer", "predict", list, "--steps", "1", "--anchor", "k80",
                                       "--target", "v100-sxm2", "--json", "-"});
  CHECK(predicted["batch_ms"].get<double>() < 90);
  CHECK(predicted["batch_ms"].get<double>() > 9);
  check_complaint({"transfer", "predict", list, "--anchor", "k80", "--target", "h100-sxm"}, 2,
                  "targets k80, m60, t4, v100-sxm2");
  check_complaint({"transfer", "predict", list}, 2, "--anchor");
  check_complaint({"transfer"}, 2, "transfer what?");
  write_file(list, "{\"nodes\": []}");
  check_complaint({"transfer", "profile", list}, 3, "without traceEvents");
}

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
  const Json json = parse_output({"telemetry", "epochs", log, "--json", "-"});
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
  const std::vector<std::string> predict{"telemetry", "predict",   log,       "--anchor", "t4",
                                         "--target",  "v100-sxm2", "--batch", "64",       "--dataset-size",
                                         "5000",      "--json",    "-"};
  const Json json = parse_output(predict);
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

namespace {

// 3 ms and 0.5 ms a sample on a t4, half as long on a v100-sxm2.
std::string run_rows() {
  std::string text = "gpu,model,batch,time_ms\n";
  for (const char* network : {"a", "b", "c"}) {
    for (int batch = 1; batch <= 16; ++batch) {
      text += std::string("t4,") + network + ',' + std::to_string(batch) + ',' +
              std::to_string(3 + 0.5 * batch) + '\n';
      text += std::string("v100-sxm2,") + network + ',' + std::to_string(batch) + ',' +
              std::to_string(1.5 + 0.25 * batch) + '\n';
    }
  }
  return text;
}

}  // namespace

TEST_CASE("transfer: a table that cannot be trained on is refused before the trainer's library is loaded") {
  const auto check = [](const std::string& rows, int exit_code, const std::string& why) {
    const TemporaryFolder folder;
    const std::string profiles = folder.file("profiles.csv");
    write_file(profiles, rows);
    // The loader of glibc writes the names of all that it loads to loaded.PID.
    ::setenv("LD_DEBUG", "files", 1);
    ::setenv("LD_DEBUG_OUTPUT", folder.file("loaded").c_str(), 1);
    const Outcome outcome = run_program({"transfer", "train", profiles, "-o", folder.file("transfer.h5")});
    ::unsetenv("LD_DEBUG");
    ::unsetenv("LD_DEBUG_OUTPUT");
    CHECK(outcome.exit_code == exit_code);
    CHECK_THAT(outcome.err, Catch::Contains(why));
    std::string loaded;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
      if (entry.path().filename().string().starts_with("loaded.")) loaded += read_text(entry.path().string());
    }
    CHECK(loaded.find("libc.so") != std::string::npos);
    CHECK(loaded.find("layersim_torch.so") == std::string::npos);
  };
  check("operation,time_ms\nConv2D,x\n", 3, "profiles.csv");
  const std::string header = "gpu,model,pixel,batch,profiled_steps,batch_ms,device_conv2d_ms\n";
  const std::string one_device = header + "k80,a,32,16,2,10,20\nk80,b,32,16,2,10,20\n";
  check(one_device, 2, "training needs profiles of the same networks on two devices");
  check(one_device + "t4,a,32,16,2,5,10\n", 2, "needs two networks that were profiled on k80 and t4");
}

TEST_CASE("regression: train, predict, evaluate") {
  const TemporaryFolder folder;
  const std::string rows = folder.file("rows.csv");
  const std::string predictor = folder.file("regression.h5");
  write_file(rows, run_rows());
  const Json trained = parse_output({"regression", "train", rows, "-o", predictor, "--json", "-"});
  CHECK(trained["left_out"] == "network");
  CHECK(trained["left_out_mape"].get<double>() < 0.01);

  const std::string asked = folder.file("asked.csv");
  write_file(asked, "gpu,model,batch\nt4,d,10\n");
  const Json predicted =
      parse_output({"regression", "predict", asked, "--predictor", predictor, "--json", "-"});
  CHECK(predicted["rows"][0]["batch_ms"].get<double>() == Approx(8).epsilon(0.02));

  const Json seen = parse_output({"regression", "evaluate", rows, "--predictor", predictor, "--json", "-"});
  CHECK(seen["overall"]["n"] == 96);
  CHECK(seen["groups"].size() == 2);
  CHECK(seen["networks"].size() == 3);
  const Json larger = parse_output({"regression", "evaluate", rows, "--extrapolate", "batch", "--json", "-"});
  CHECK(larger["left_out"] == "batch");
  CHECK(larger["overall"]["n"] == 18);
  CHECK(larger["overall"]["mape"].get<double>() < 0.02);

  check_complaint({"regression", "evaluate", rows, "--held-out", "--extrapolate", "batch"}, 2,
                  "exclude each other");
  check_complaint({"regression", "evaluate", rows, "--extrapolate", "gpus"}, 2, "no feature 'n_gpus'");
  check_complaint({"regression", "train", rows}, 2, "needs -o");
  const std::string few = folder.file("few.csv");
  write_file(few, "gpu,model,batch,time_ms\nt4,a,1,1\nt4,a,2,2\n");
  check_complaint({"regression", "train", few, "-o", folder.file("few.h5")}, 3,
                  "few.csv: a regression needs 10 rows, not 2");
  check_complaint({"regression", "predict", "resnet18", "--gpu", "t4"}, 2, "--batch");
}

TEST_CASE(
    "regression: far outside what was fitted the time grows with the batch, and warnings say what is new") {
  const auto predict = [](const char* gpu, int batch) {
    return run_program(
        {"regression", "predict", "resnet18", "--gpu", gpu, "--batch", std::to_string(batch), "--json", "-"});
  };
  for (const char* gpu : {"h100-sxm", "mi300x", "t4"}) {
    double before_ms = 0;
    for (const int batch : {512, 4096, 32768, 1000000000}) {
      const Outcome outcome = predict(gpu, batch);
      REQUIRE(outcome.exit_code == 0);
      const Json row = Json::parse(outcome.out)["rows"][0];
      CHECK(row["batch_ms"].get<double>() > before_ms);
      before_ms = row["batch_ms"].get<double>();
      CHECK(row["new_gpu"] == (std::string(gpu) != "t4"));
    }
  }
  CHECK(predict("h100-sxm", 64).err.find("outside what was fitted: the GPU h100-sxm") != std::string::npos);
  const auto relative_width = [&](const char* gpu) {
    const Json row = Json::parse(predict(gpu, 64).out)["rows"][0];
    return row["batch_ms_high"].get<double>() / row["batch_ms_low"].get<double>();
  };
  CHECK(relative_width("h100-sxm") > relative_width("t4"));
}

namespace {

// Times of two networks on two GPUs, which stand for any.
std::string zoo_runs(const std::string& stack, const std::string& odd_stack) {
  std::string text = "network,gpu,stack,batch,measured_ms\n";
  for (const char* gpu : {"t4", "m60"}) {
    for (int batch = 1; batch <= 16; batch *= 2) {
      text += std::string("alexnet,") + gpu + ',' + stack + ',' + std::to_string(batch) + ',' +
              std::to_string(5 + 2 * batch) + '\n';
      text += std::string("vgg11,") + gpu + ',' + (batch == 4 ? odd_stack : stack) + ',' +
              std::to_string(batch) + ',' + std::to_string(7 + 6 * batch) + '\n';
    }
  }
  return text;
}

}  // namespace

TEST_CASE("regression: stacks that nobody knows are named once, with their rows") {
  const TemporaryFolder folder;
  const std::string runs = folder.file("runs.csv");
  const std::string predictor = folder.file("regression.h5");
  write_file(runs, zoo_runs("tf2.5", "tf25"));
  const Outcome trained = run_program({"regression", "train", runs, "-o", predictor});
  REQUIRE(trained.exit_code == 0);
  CHECK(trained.err ==
        "warning: " + runs +
            ": stack tf25 (lines 7 and 17): `predict` knows none of that name; it is learned as one "
            "of its own\n");

  const auto warnings_of = [&](const std::string& rows) {
    write_file(runs, "network,gpu,stack,batch\n" + rows);
    return parse_output({"regression", "predict", runs, "--predictor", predictor, "--json", "-"})["warnings"];
  };
  CHECK(warnings_of("vgg11,t4,tf2.5,4\nvgg11,t4,,4\nvgg11,t4,tf25,4\n").empty());
  const Json warnings = warnings_of("vgg11,t4,zz,4\nvgg11,t4,tf2.5,4\nvgg11,t4,yy,4\nvgg11,t4,zz,8\n");
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0] ==
        runs +
            ": stack yy (line 4), zz (lines 2 and 5): no run of it was fitted, so the times are "
            "those of other software");

  write_file(runs, zoo_runs("tf2.5", "tf2.5"));
  CHECK(run_program({"regression", "train", runs, "-o", predictor}).err.empty());
  CHECK(warnings_of("vgg11,t4,tf2.5,4\n").empty());
  CHECK(warnings_of("vgg11,t4,zz,4\n").size() == 1);

  write_file(runs, zoo_runs("tf2.5", "zz"));
  const Outcome evaluated = run_program({"regression", "evaluate", runs, "--predictor", predictor});
  CHECK(evaluated.exit_code == 0);
  CHECK(
      evaluated.err ==
      "warning: " + runs +
          ": stack zz (lines 7 and 17): no run of it was fitted, so the times are those of other software\n");
}

TEST_CASE("regression: a table of runs that lacks a column is told which") {
  const TemporaryFolder folder;
  const std::string runs = folder.file("runs.csv");
  const std::string output = folder.file("regression.h5");
  write_file(runs, "network,gpu,measured_ms\nalexnet,t4,5\n");
  check_complaint({"regression", "train", runs, "-o", output}, 3, runs + ": has no column 'batch'");
  write_file(runs, "network,batch,measured_ms\nalexnet,8,5\n");
  check_complaint({"regression", "train", runs, "-o", output}, 3, runs + ": has no column 'gpu'");
  check_complaint({"regression", "evaluate", runs}, 3, runs + ": has no column 'gpu'");
  check_complaint({"regression", "evaluate", runs, "--held-out"}, 3, runs + ": has no column 'gpu'");

  const std::string rows = folder.file("rows.csv");
  write_file(rows, run_rows());
  REQUIRE(run_program({"regression", "train", rows, "-o", output}).exit_code == 0);
  write_file(rows, "model,batch,time_ms\na,8,5\n");
  check_complaint({"regression", "evaluate", rows, "--predictor", output}, 3, rows + ": has no column 'gpu'");
}

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
  const Json missing = parse_output(with({"hybrid", "missing"}, {"-o", problems, "--json", "-"}));
  CHECK(missing["problems"] == 10);
  CHECK(missing["convolutions"]["stored"] == 0);
  CHECK(line_count(read_text(problems)) == 11);

  // Stands for a machine that measures: every convolution takes 2 ms forward and 5 ms backward.
  const std::string measure =
      "sed -e '1s/$/,gpu,framework,forward_ms,backward_ms,time_ms/' -e '2,$s/$/,t4,cudnn,2,5,7/' "
      "\"$LAYERSIM_PROBLEMS\" > \"$LAYERSIM_STORE\"; echo measured";
  const Json predicted = parse_output(with({"hybrid", "predict"}, {"--on-missing", measure, "--json", "-"}));
  CHECK(predicted["convolutions"]["stored"] == 10);
  CHECK(predicted["convolutions"]["predicted"] == 0);
  CHECK(predicted["rows"][0]["conv_ms"].get<double>() == Approx(4 * 7 + 2 + 2.5));
  CHECK(predicted["rows"][0]["batch_ms"].get<double>() > predicted["rows"][0]["conv_ms"].get<double>());
  CHECK(std::filesystem::exists(store));
  const Json none = parse_output(with({"hybrid", "missing"}, {"-o", problems, "--json", "-"}));
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
  own.insert(own.end(), {"--gpu-file", gpu, "--json", "-"});
  CHECK(parse_output(own)["problems"] == 10);
  const std::vector<std::string> regression{"regression", "predict", runs, "--json", "-"};
  check_complaint(regression, 3, "runs.csv: line 2: column 'gpu'");
  own = regression;
  own.insert(own.end(), {"--gpu-file", gpu});
  CHECK(parse_output(own)["rows"].size() == 2);
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

TEST_CASE("methods: each with what it needs, errors from the files that come along") {
  const Json methods = parse_output({"methods", "--json", "-"});
  REQUIRE(methods["methods"].size() == 6);
  for (const Json& method : methods["methods"]) {
    if (method["method"] == "roofline") {
      CHECK(method["mape"].is_null());
    } else {
      CHECK(method["mape"].get<double>() > 0);
      CHECK(method["mape"].get<double>() < 0.5);
    }
  }
}

TEST_CASE("the methods refuse what is far from anything measured") {
  const TemporaryFolder folder;
  const std::string profile = folder.file("profile.csv");
  write_file(profile, "operation,time_ms\nConv2D,10\n");
  check_complaint({"transfer", "predict", profile, "--anchor", "t4", "--target", "t4", "--steps", "1"}, 2,
                  "--anchor and --target are the same device, t4");
  check_complaint(
      {"transfer", "scale", "--target", "t4", "--known", "16=1e308", "--known", "256=1e308", "--at", "64"}, 2,
      "--known takes a number above 0");
  check_complaint({"telemetry", "predict", profile, "--anchor", "t4", "--target", "t4", "--batch", "1",
                   "--dataset-size", "1"},
                  2, "the same device");
  const Outcome unknown =
      run_program({"regression", "predict", "resnet18", "--gpu", "t4", "--batch", "64", "--stack", "zz"});
  CHECK(unknown.exit_code == 0);
  CHECK(unknown.err ==
        "warning: --stack zz: no run of it was fitted, so the time is that of other software\n");
}
