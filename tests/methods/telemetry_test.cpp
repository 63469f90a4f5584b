// Readers of logs in their many forms, and the epochs found in generated logs whose truth is known, and in
// real ones.

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <random>

#include "sim/core/error.h"
#include "sim/methods/telemetry/find_epochs.h"
#include "sim/store/csv_reader.h"
#include "tests/shared_files.h"
#include "tests/store/temporary_folder.h"

using namespace layersim;
using namespace layersim::tests;

namespace {

TelemetryLog read_text(const std::string& text) {
  const TemporaryFolder folder;
  const std::string file = folder.file("log");
  std::ofstream(file, std::ios::binary) << text;
  return read_telemetry_log(file);
}

std::string complaint(const std::string& text) {
  try {
    (void)read_text(text);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::bad_input);
    return error.what();
  }
  return "no complaint";
}

std::string stamp(double time_s) {
  char text[40];
  const auto whole = static_cast<int>(time_s);
  std::snprintf(text, sizeof text, "2026/01/31 %02d:%02d:%06.3f", 10 + whole / 3600, whole / 60 % 60,
                time_s - whole / 60 * 60);
  return text;
}

// A run: idle, epochs with a validation pass at their end, idle.
struct Run {
  double epoch_s = 60;
  int epochs = 12;
  double validation_share = 0.15;
  double unevenness = 0;  // of the length of epochs
  double noise = 0;       // of the level at work
  std::uint64_t seed = 1;

  [[nodiscard]] TelemetryLog log() const {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    TelemetryLog result;
    MetricSeries power{"power_w", {}};
    const auto add = [&](double length_s, double level_w) {
      for (int i = 0; i < std::lround(length_s); ++i) {
        result.times_s.push_back(static_cast<double>(result.times_s.size()));
        power.values.push_back(level_w + noise * 280 * normal(random));
      }
    };
    add(30, 60);
    for (int e = 0; e < epochs; ++e) {
      const double length_s = epoch_s * (1 + unevenness * normal(random));
      add(length_s * (1 - validation_share), 280);
      add(length_s * validation_share, 180);
    }
    add(25, 60);
    result.metrics = {power};
    return result;
  }
};

double error_of(const EpochsFound& found, double truth_s) {
  return found.period_s ? std::abs(*found.period_s / truth_s - 1) : 1;
}

}  // namespace

TEST_CASE("nvidia-smi with units, without, and with gaps") {
  std::string text = "timestamp, power.draw [W], utilization.gpu [%], memory.used [MiB], clocks.sm [MHz]\n";
  for (int i = 0; i < 10; ++i)
    text += stamp(2 * i) + ", 250.5 W, " + std::to_string(90 + i) + " %, 1000 MiB, [N/A]\n";
  const TelemetryLog log = read_text(text);
  CHECK(log.format == "nvidia-smi");
  CHECK(log.gpus == 1);
  REQUIRE(log.times_s.size() == 10);
  CHECK(log.times_s[3] == Approx(6));
  REQUIRE(log.metrics.size() == 3);
  CHECK(log.metrics[0].metric == "power_w");
  CHECK(log.metrics[0].values[0] == 250.5);
  CHECK(log.metrics[1].values[9] == 99);
  CHECK(log.metrics[2].metric == "memory_used_mib");

  std::string bare = "timestamp,name,utilization.gpu\n";
  for (int i = 0; i < 9; ++i)
    bare += stamp(0.5 * i) + ",\"A \"\"GPU\"\",\nof two lines\"," + std::to_string(i) + "\n";
  bare += "2026/01/31 10:0";
  const TelemetryLog no_units = read_text(bare);
  CHECK(no_units.times_s.size() == 9);
  CHECK(no_units.metrics[0].values[8] == 8);
  REQUIRE(no_units.warnings.size() == 1);
  CHECK_THAT(no_units.warnings[0], Catch::Contains("1 line was left out"));
}

TEST_CASE(
    "lines that are cut off, lines without a time and cells that are no number are told by their line") {
  std::string text = "timestamp, power.draw [W], utilization.gpu [%]\n";
  for (int i = 0; i < 10; ++i) text += stamp(i) + (i == 2 ? ", nan W, 90 %\n" : ", 250 W, 90 %\n");
  text += stamp(10) + ", 250 W\n" + stamp(11) + "\ntoday, 250 W, 90 %\n";
  const TelemetryLog log = read_text(text);
  CHECK(log.times_s.size() == 10);
  REQUIRE(log.warnings.size() == 3);
  CHECK(log.warnings[0] ==
        "2 lines were left out, not of as many fields as the header: the first is line 12");
  CHECK(log.warnings[1] == "1 line was left out, without a time: line 14");
  CHECK_THAT(log.warnings[2], Catch::Contains("the first in line 4: 'nan W'"));
}

TEST_CASE("several GPUs in one log are averaged, with an index and without") {
  std::string text = "timestamp, index, utilization.gpu [%]\n";
  std::string without = "timestamp, utilization.gpu [%]\n";
  for (int i = 0; i < 20; ++i) {
    for (int gpu = 0; gpu < 4; ++gpu) {
      const std::string time = stamp(i + 0.003 * gpu);
      const std::string value = std::to_string(10 * gpu + i) + " %\n";
      text += time + ", " + std::to_string(gpu) + ", " + value;
      without += time + ", " + value;
    }
  }
  for (const std::string& form : {text, without}) {
    const TelemetryLog log = read_text(form);
    CHECK(log.gpus == 4);
    REQUIRE(log.times_s.size() == 20);
    CHECK(log.metrics[0].values[0] == Approx(15));
    CHECK(log.metrics[0].values[19] == Approx(34));
  }
}

TEST_CASE("UTF-16 as PowerShell writes it") {
  std::string text = "timestamp, power.draw [W]\r\n";
  for (int i = 0; i < 10; ++i) text += stamp(i) + ", " + std::to_string(100 + i) + ".00 W\r\n";
  std::string wide = "\xFF\xFE";
  for (const char c : text) wide += std::string{c, '\0'};
  const TelemetryLog log = read_text(wide);
  CHECK(log.times_s.size() == 10);
  CHECK(log.metrics[0].values[9] == 109);
}

TEST_CASE("dcgmi dmon") {
  std::string text = "#Entity   GPUTL  POWER     FOO\nID                 W\n";
  for (int i = 0; i < 12; ++i) {
    if (i == 6) text += "#Entity   GPUTL  POWER     FOO\nID                 W\n";
    text += "GPU 0     " + std::to_string(i) + "  100.5  N/A\nGPU 1     " + std::to_string(i + 2) +
            "  200.5  N/A\n";
  }
  const TelemetryLog log = read_text(text);
  CHECK(log.format == "dcgmi dmon");
  CHECK(log.gpus == 2);
  REQUIRE(log.times_s.size() == 12);
  CHECK(log.times_s[11] == Approx(11));
  REQUIRE(log.metrics.size() == 2);
  CHECK(log.metrics[0].values[0] == Approx(150.5));
  CHECK(log.metrics[1].values[4] == Approx(5));
  CHECK(complaint("#Entity GPUTL POWER\nGPU 0 1\n").find("line 2: has 1 values, the header 2") !=
        std::string::npos);
}

TEST_CASE("what is no log is refused in one line") {
  CHECK(complaint("a,b\n1,2\n").find("no column 'timestamp'") != std::string::npos);
  CHECK(complaint("timestamp,name\n2026/01/31 10:00:00.000,x\n").find("no column of power") !=
        std::string::npos);
  CHECK(complaint("timestamp,power.draw [W]\n2026/01/31 10:00:00.000,1 W\n").find("too few") !=
        std::string::npos);
  CHECK(complaint("\n").find("is empty") != std::string::npos);
}

TEST_CASE("epochs of generated logs: within 2 % at 10 % noise and within 5 % at 30 %") {
  for (const double epoch_s : {30., 60., 100.}) {
    for (const double unevenness : {0., 0.02}) {
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        INFO("epoch " << epoch_s << " s, uneven by " << unevenness << ", seed " << seed);
        const int count = static_cast<int>(1200 / epoch_s);
        const EpochsFound clear = find_epochs(Run{epoch_s, count, 0.2, unevenness, 0.1, seed}.log());
        CHECK(error_of(clear, epoch_s) < 0.02);
        CHECK(clear.confidence > EpochsFound::kSure);
        CHECK(std::abs(clear.epochs - count) <= 1);
        const EpochsFound noisy = find_epochs(Run{epoch_s, count, 0.2, unevenness, 0.3, seed}.log());
        CHECK(error_of(noisy, epoch_s) < 0.05);
      }
    }
  }
}

TEST_CASE("boundaries lie at the ends of epochs, idle ends do not count") {
  const EpochsFound found = find_epochs(Run{50, 10, 0.1, 0, 0.02, 1}.log());
  CHECK(found.active_begin_s == Approx(30).margin(2));
  CHECK(found.active_end_s == Approx(530).margin(7));
  CHECK(found.epochs == 10);
  REQUIRE(found.boundaries_s.size() == 11);
  // Every mark within the validation pass.
  for (std::size_t i = 1; i + 1 < found.boundaries_s.size(); ++i)
    CHECK(found.boundaries_s[i] == Approx(30 + 50.0 * static_cast<double>(i)).margin(6));
  REQUIRE(found.periods.size() == 1);
  CHECK(found.periods[0].may_be == "epoch");
}

TEST_CASE("checkpoints every few epochs are told from epochs") {
  TelemetryLog log = Run{60, 15, 0.15, 0, 0.03, 1}.log();
  for (std::size_t i = 0; i < log.times_s.size(); ++i) {
    // A deep dip of 4 s at the end of every third epoch.
    const double since = std::fmod(log.times_s[i] - 30, 180);
    if (log.times_s[i] > 30 && log.times_s[i] < 930 && since >= 170 && since < 174)
      log.metrics[0].values[i] = 100;
  }
  const EpochsFound found = find_epochs(log);
  CHECK(error_of(found, 60) < 0.02);
}

TEST_CASE("no period is found where there is none, and a constant utilization tells nothing") {
  TelemetryLog noise;
  MetricSeries power{"power_w", {}};
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 900; ++i) {
    noise.times_s.push_back(i);
    power.values.push_back(250 + 10 * normal(random));
  }
  noise.metrics = {power};
  const EpochsFound in_noise = find_epochs(noise);
  CHECK_FALSE(in_noise.period_s.has_value());
  CHECK(in_noise.periods.empty());
  CHECK(in_noise.warnings.back().find("not sure") != std::string::npos);

  TelemetryLog constant = Run{}.log();
  constant.metrics[0].metric = "utilization_pct";
  for (double& value : constant.metrics[0].values) value = 100;
  const EpochsFound found = find_epochs(constant);
  CHECK_FALSE(found.period_s.has_value());
  CHECK(found.confidence == 0);
  REQUIRE_FALSE(found.warnings.empty());
  CHECK(found.warnings.back().find("not sure") != std::string::npos);
}

TEST_CASE("real logs have the expected periods") {
  if (!have_shared("logs/expected.csv")) return;
  CsvReader expected(shared_path("logs/expected.csv").string());
  const auto field = [&](const std::string& name) {
    for (std::size_t i = 0; i < expected.header().size(); ++i) {
      if (expected.header()[i] == name) return std::string(expected.fields()[i]);
    }
    throw internal_error("no column " + name);
  };
  int files = 0;
  while (expected.next()) {
    if (field("kind") != "telemetry") continue;
    ++files;
    INFO(field("file"));
    const EpochsFound found = find_epochs(read_telemetry_log(shared_path("logs/" + field("file")).string()));
    REQUIRE(found.period_s.has_value());
    CHECK(*found.period_s == Approx(std::stod(field("period_s"))).margin(std::stod(field("tolerance_s"))));
    CHECK(found.epochs == std::stoi(field("periods")));
    CHECK(found.periods.front().may_be.find(field("period_is")) != std::string::npos);
  }
  CHECK(files == 3);
}

TEST_CASE("values that no device can have are left out and told, times that stand or run backward as well") {
  std::string text = "timestamp, utilization.gpu [%], clocks.sm [MHz]\n";
  for (int i = 0; i < 20; ++i) {
    const std::string clock = i == 3   ? "-5 MHz"
                              : i == 4 ? "99999999 MHz"
                              : i == 5 ? "xx"
                              : i == 6 ? "[N/A]"
                                       : "1500 MHz";
    text += std::to_string(1000 + (i == 9 ? 8 : i == 12 ? 10 : i)) + ", 90 %, " + clock + '\n';
  }
  const TelemetryLog log = read_text(text);
  REQUIRE(log.warnings.size() == 3);
  CHECK(log.warnings[0] ==
        "3 cells of sm_clock_mhz that no device can have were left out, the first in line 5: '-5 MHz'");
  CHECK(log.warnings[1] == "1 readings have the time of the one before");
  CHECK_THAT(log.warnings[2], Catch::StartsWith("the time runs backward 1 times"));
  CHECK(log.gpus == 1);

  std::string standing = "timestamp, utilization.gpu [%]\n";
  for (int i = 0; i < 20; ++i) standing += "1000, 90 %\n";
  CHECK_THAT(complaint(standing), Catch::Contains("all readings have the same time"));
}
