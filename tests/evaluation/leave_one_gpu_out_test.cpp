#include "sim/evaluation/leave_one_gpu_out.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "sim/core/error.h"
#include "sim/core/json.h"
#include "tests/trainers/measured_samples.h"
#include "trainers/trainer_list.h"

using namespace layersim;

namespace {

const TrainReport kSilent = [](const std::string&, const TrainingProgress&) {};

// Softmax on three devices, each slower than its data sheet by a factor of its own: a launch and memory
// traffic at the full bandwidth.
SampleSet three_devices(const std::vector<double>& factors) {
  SampleSet set;
  const std::vector<std::string> keys{"k80", "p100-pcie", "v100-sxm2"};
  const std::int32_t stack = tests::add_stack(set, "pytorch2.1");
  for (std::size_t d = 0; d < keys.size(); ++d) {
    const std::int32_t device = tests::add_device(set, keys[d]);
    for (std::int64_t i = 1; i <= 200; ++i) {
      const Problem problem =
          make_problem(*find_layer_kind("softmax"), DType::f32, {{"rows", 50 * i}, {"cols", 512}});
      Sample& sample = tests::add_sample(set, problem, device, stack);
      const double bandwidth = set.devices[d].memory_bandwidth_gb_s * 1e6;
      sample.time_ms = factors[d] * (0.02 + sample.work.forward.bytes() / bandwidth);
    }
  }
  return set;
}

}  // namespace

TEST_CASE("each device is predicted by what was learned of the others") {
  // The linear trainer gives a new device the geometric mean of the factors of the known ones.
  const auto gpus = leave_one_gpu_out(three_devices({2, 2, 3}), find_trainer("linear"), {}, kSilent);
  REQUIRE(gpus.size() == 3);
  CHECK(gpus[0].gpu == "k80");
  CHECK(gpus[0].family == "rowwise");
  CHECK(gpus[0].unseen.n == 200);
  CHECK(gpus[2].gpu == "v100-sxm2");
  // Of all its rows, the term of the row count aside, 2 instead of 3.
  CHECK(gpus[2].unseen.mape == Approx(1.0 / 3).margin(0.03));
  CHECK(std::isnan(gpus[2].calibrated_mape));
}

TEST_CASE("a few rows of the device bring its error down") {
  LeaveOneGpuOutOptions options;
  options.calibration_rows = 20;
  const auto gpus = leave_one_gpu_out(three_devices({2, 2, 3}), find_trainer("linear"), options, kSilent);
  CHECK(gpus[2].calibrated_mape < 0.1);
  CHECK(gpus[2].calibrated_coverage90 > 0.5);

  const Json json = Json::parse(left_out_as_json(gpus, options));
  REQUIRE(json["groups"].size() == 3);
  CHECK(json["groups"][2]["gpu"] == "v100-sxm2");
  CHECK(json["groups"][2]["calibrated"]["rows"] == 20);
  const Json& median = json["median_over_gpus"]["rowwise"];
  CHECK(median["gpus"] == 3);
  std::vector<double> errors;
  for (const LeftOutGpu& gpu : gpus) errors.push_back(gpu.unseen.mape);
  std::sort(errors.begin(), errors.end());
  CHECK(median["mape"].get<double>() == errors[1]);

  const std::string text = left_out_as_text(gpus, options, 100);
  for (const char* part : {"GPU left out", "k80", "p100-pcie", "v100-sxm2", "median", "after 20 rows %"}) {
    INFO(part);
    CHECK(text.find(part) != std::string::npos);
  }
}

TEST_CASE("leaving a GPU out needs another") {
  SampleSet set = three_devices({1, 1, 1});
  std::erase_if(set.samples, [](const Sample& sample) { return sample.device != 0; });
  CHECK_THROWS_AS(leave_one_gpu_out(set, find_trainer("linear"), {}, kSilent), Error);
}
