#include <catch2/catch.hpp>

#include "sim/core/json.h"
#include "tests/cli/program.h"

using namespace layersim;
using namespace layersim::tests;

namespace {

// The files of a user with a GPU that layersim does not know: its data sheet and measured rows.
struct Files {
  TemporaryFolder folder;
  std::string gpu = folder.file("my-gpu.json");
  std::string rows = folder.file("rows.csv");
  std::string adapted = folder.file("my-gpu.h5");

  Files() {
    std::string sheet = read_text(std::string(LAYERSIM_SOURCE_DIR) + "/configs/gpus/rtx2060.json");
    sheet.replace(sheet.find("rtx2060"), 7, "my-gpu");
    write_file(gpu, sheet);
  }

  // Convolutions at `share` of the device's peak, and a launch.
  void write_rows(int count, const std::string& key, double share = 0.1) const {
    std::string text =
        "gpu,framework,mode,batch,input_size,in_channels,out_channels,kernel,stride,pad,time_ms\n";
    for (int i = 0; i < count; ++i) {
      const int size = 8 + 7 * (i % 5);
      const int channels = 16 + 24 * (i % 7);
      const double flop = 2.0 * 8 * size * size * channels * channels * 9;
      text += key + ",pytorch2.1,forward,8," + std::to_string(size) + ',' + std::to_string(channels) + ',' +
              std::to_string(channels) + ",3,1,1," + std::to_string(0.05 + flop / (share * 6451.2e6)) + '\n';
    }
    write_file(rows, text);
  }
  [[nodiscard]] std::vector<std::string> calibrate() const {
    return {"calibrate", rows, "--gpu-file", gpu, "-o", adapted};
  }
};

}  // namespace

TEST_CASE("a data sheet and twenty rows adapt the predictor to a new GPU") {
  const Files files;
  files.write_rows(20, "my-gpu");
  auto arguments = files.calibrate();
  arguments.insert(arguments.end(), {"--json", "-"});
  const Outcome outcome = run_program(arguments);
  INFO("error: " << outcome.err);
  REQUIRE(outcome.exit_code == 0);
  const Json json = Json::parse(outcome.out);
  CHECK(json["gpu"] == "my-gpu");
  REQUIRE(json["networks"].size() == 1);
  CHECK(json["networks"][0]["name"] == "conv@pytorch");
  CHECK(json["networks"][0]["stacks"] == Json({"pytorch2.1"}));
  CHECK(json["networks"][0]["adapted"] == true);
  CHECK(json["overall"]["n"] == 20);
  const double before = json["overall"]["mape_before"];
  const double after = json["overall"]["mape_after"];
  CHECK(before > 0.3);
  CHECK(after < before / 2);

  const std::vector<std::string> predict{"predict", "vgg11",  "--gpu-file", files.gpu, "--batch",
                                         "8",       "--mode", "forward",    "--json",  "-"};
  auto predict_adapted = predict;
  predict_adapted.insert(predict_adapted.end(), {"--predictor", files.adapted});
  const Json plain = Json::parse(run_program(predict).out);
  const Json adapted = Json::parse(run_program(predict_adapted).out);
  // The rows are slow ones.
  CHECK(adapted["layers"][0]["forward_ms"].get<double>() > plain["layers"][0]["forward_ms"].get<double>());
  CHECK(plain["warnings"].dump().find("no measured runs of my-gpu") != std::string::npos);
  CHECK(adapted["warnings"].dump().find("of my-gpu") == std::string::npos);

  const Outcome text = run_program(files.calibrate());
  CHECK(text.exit_code == 0);
  for (const char* part : {"my-gpu", "conv@pytorch", "pytorch2.1", "before", "after"}) {
    INFO(part);
    CHECK(text.out.find(part) != std::string::npos);
  }
}

TEST_CASE("what cannot be calibrated is told in one line, and nothing is written") {
  const Files files;
  files.write_rows(20, "k80");
  check_complaint(files.calibrate(), 3,
                  "rows.csv: line 2: column 'gpu': 'k80' is not the device to adapt to");
  files.write_rows(4, "my-gpu");
  check_complaint(files.calibrate(), 3, "rows.csv: has 4 usable rows; a calibration takes at least 5");
  write_file(files.rows, "gpu,n_gpus,size_floats,time_ms\nmy-gpu,2,10,1\n");
  CHECK(run_program(files.calibrate()).exit_code == 3);
  CHECK(std::filesystem::exists(files.adapted) == false);

  files.write_rows(20, "my-gpu");
  check_complaint({"calibrate", files.rows, "--gpu-file", files.gpu}, 2, "-o FILE");
  check_complaint({"calibrate", "-o", files.adapted, "--gpu-file", files.gpu}, 2, "files with measured rows");
  check_complaint({"calibrate", files.rows, "-o", files.adapted}, 2, "no device");
  check_complaint(
      {"calibrate", files.rows, "-o", files.adapted, "--gpu-file", files.gpu, "--predictor", files.rows}, 3,
      "rows.csv");
  check_complaint({"vgg11", "--gpu", "k80", "--method", "roofline", "--predictor", files.adapted}, 2,
                  "takes no predictor file");
  CHECK(std::filesystem::exists(files.adapted) == false);
}

TEST_CASE("rows that contradict each other, and a fit that does not help, are doubted with numbers") {
  const Files files;
  files.write_rows(20, "my-gpu");
  std::string text = read_text(files.rows);
  const std::size_t second = text.find('\n', text.find('\n') + 1);
  const std::string layer = text.substr(text.find('\n') + 1, text.rfind(',', second) - text.find('\n'));
  write_file(files.rows, text + layer + "0.00071\n" + layer + "7100\n");
  auto arguments = files.calibrate();
  arguments.insert(arguments.end(), {"--json", "-"});
  const Json json = Json::parse(run_program(arguments).out);
  const double before = json["overall"]["mape_before"];
  const double after = json["overall"]["mape_after"];
  CHECK(after > 1);
  const std::string warnings = json["warnings"].dump();
  CHECK_THAT(warnings,
             Catch::Contains("rows contradict each other: " + files.rows + ": line 22 has 0.00071 ms, " +
                             files.rows + ": line 23 has 7,100 ms for the same layer"));
  CHECK_THAT(warnings,
             Catch::Contains(after > before ? "make conv@pytorch worse: error before "
                                            : "conv@pytorch stays far off the rows: error before "));
}

TEST_CASE("rows that repeat another do not count for a calibration") {
  const Files files;
  files.write_rows(40, "my-gpu");  // from the 36th on they begin again
  auto arguments = files.calibrate();
  arguments.insert(arguments.end(), {"--json", "-"});
  const Json json = Json::parse(run_program(arguments).out);
  CHECK(json["overall"]["n"] == 35);
  REQUIRE(json["warnings"].size() == 2);
  CHECK(json["warnings"][0] == "left out: 5 rows with the same layer and the same time as another");
  CHECK_THAT(json["warnings"][1].get<std::string>(),
             Catch::Contains("the model of whole runs") && Catch::Contains("does not know the device"));
}
