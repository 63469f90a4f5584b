// The regressor behind `telemetry predict`, on generated jobs of which the ratio between devices is known.

#include "sim/methods/telemetry/telemetry_model.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <random>

#include "hwdb/device_db.h"
#include "sim/core/error.h"
#include "tests/store/temporary_folder.h"
#include "trainers/methods/telemetry_training.h"
#include "trainers/xgboost_module.h"

using namespace layersim;
using namespace layersim::tests;

namespace {

// The busier the t4, the more an epoch gains on a v100-sxm2: up to a factor of 3.
std::vector<JobMetrics> jobs() {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<JobMetrics> list;
  for (const char* network : {"a", "b", "c", "d", "e"}) {
    for (int i = 0; i < 12; ++i) {
      const double busy = uniform(random);
      JobMetrics job;
      job.network = network;
      job.batch = 16 << (i % 4);
      job.pixel = 32 + i;
      job.dataset_size = 5000;
      for (std::size_t n = 0; n < kJobNumbers; ++n) job.numbers[n] = 20 + 80 * busy;
      job.gpu = "t4";
      job.epoch_s = 10 * (1 + 5 * busy);
      list.push_back(job);
      job.gpu = "v100-sxm2";
      job.epoch_s /= 1 + 2 * busy;
      list.push_back(job);
    }
  }
  return list;
}

}  // namespace

TEST_CASE("jobs are paired by what ran, and the model finds how the ratio depends on the metrics") {
  const auto samples = pair_jobs(jobs());
  REQUIRE(samples.size() == 120);
  const ErrorTable table =
      evaluate_telemetry_left_out(samples, TelemetryLeaveOut::network, load_tree_trainer(), 1);
  REQUIRE(table.rows.size() == 120);
  const MethodErrors all = group_rows(table, 0, 0).front();
  CHECK(all.errors.mape < 0.06);
  CHECK(all.errors.mape < all.baselines.front().mape / 3);
  CHECK(all.errors.coverage90 > 0.75);
  CHECK(group_rows(table, 0, 2).size() == 2);
  CHECK_THROWS_AS(pair_jobs({jobs().front()}), Error);
}

TEST_CASE("the file of a telemetry model gives the same predictions") {
  const auto samples = pair_jobs(jobs());
  const TelemetryModel model = train_telemetry(samples, load_tree_trainer(), 1);
  CHECK(model.gpus == std::vector<std::string>{"t4", "v100-sxm2"});
  for (const double weight : model.weights) CHECK(weight >= 0);
  const TemporaryFolder folder;
  write_telemetry_model(model, folder.file("telemetry.h5"));
  const TelemetryModel read = read_telemetry_model(folder.file("telemetry.h5"));
  for (std::size_t i = 0; i < samples.size(); i += 17)
    CHECK(log_factor(read, samples[i].features) ==
          Approx(log_factor(model, samples[i].features)).margin(1e-5));
}

TEST_CASE(
    "the interval is wider for a GPU without jobs, by the errors on GPUs left out where these are known") {
  std::vector<JobMetrics> of_two = jobs();
  std::erase_if(of_two, [](const JobMetrics& job) { return job.pixel >= 36; });
  std::vector<JobMetrics> list = of_two;
  for (JobMetrics job : of_two) {
    if (job.gpu != "t4") continue;
    job.gpu = "k80";
    job.epoch_s *= 4;
    list.push_back(job);
  }
  const TelemetryModel three = train_telemetry(pair_jobs(list), load_tree_trainer(), 1);
  CHECK(three.new_gpu_half_width > three.half_width);
  const TemporaryFolder folder;
  write_telemetry_model(three, folder.file("telemetry.h5"));
  const TelemetryModel read = read_telemetry_model(folder.file("telemetry.h5"));
  const Interval known = interval_of(read, 10, "t4", "v100-sxm2", false);
  const Interval other = interval_of(read, 10, "t4", "h100-sxm", false);
  CHECK(known.high == Approx(10 * std::exp(three.half_width)));
  CHECK(other.low == Approx(10 * std::exp(-three.new_gpu_half_width)));
  CHECK(other.high > known.high);

  // Of two GPUs nothing tells what a third would be like.
  const TelemetryModel two = train_telemetry(pair_jobs(of_two), load_tree_trainer(), 1);
  CHECK(two.new_gpu_half_width == 0);
  CHECK(interval_of(two, 10, "h100-sxm", "t4", false).high > 19);
}

TEST_CASE("a job far outside those trained on is named, and its interval is half to twice the time") {
  const std::vector<JobMetrics> list = jobs();
  const TelemetryModel model = train_telemetry(pair_jobs(list), load_tree_trainer(), 1);
  const DeviceDb devices;
  const Device t4 = devices.find("t4");
  const Device v100 = devices.find("v100-sxm2");
  JobMetrics job = list.front();
  REQUIRE(job.gpu == "t4");
  CHECK(outside_trained(model, telemetry_features(job, t4, v100)).empty());
  job.batch = 64e6;
  const auto outside = outside_trained(model, telemetry_features(job, t4, v100));
  CHECK(std::find(outside.begin(), outside.end(), "batch") != outside.end());
  CHECK(std::find(outside.begin(), outside.end(), "data set size") == outside.end());
  CHECK(interval_of(model, 10, "t4", "v100-sxm2", true).high > 19);
}

TEST_CASE("jobs that are too few to learn from are bad input") {
  std::vector<JobMetrics> list = jobs();
  const JobMetrics first = list.front();
  std::erase_if(list, [&](const JobMetrics& job) {
    return job.network != first.network || job.batch != first.batch || job.pixel != first.pixel ||
           job.dataset_size != first.dataset_size;
  });
  REQUIRE(list.size() == 2);
  CHECK_THROWS_WITH(train_telemetry(pair_jobs(list), load_tree_trainer(), 1),
                    Catch::Contains("two jobs or more"));
  list.pop_back();
  CHECK_THROWS_WITH(pair_jobs(list), Catch::Contains("no job that ran on two devices"));
}

TEST_CASE("features do not know how many samples were taken, nor the network") {
  const DeviceDb devices;
  const Device t4 = devices.find("t4");
  JobMetrics job = jobs().front();
  const auto features = telemetry_features(job, t4, t4);
  job.network = "other";
  job.pixel = 999;
  CHECK(telemetry_features(job, t4, t4) == features);
}

TEST_CASE("rows of jobs: a missing column and a bad number are named") {
  const TemporaryFolder folder;
  const auto complaint = [&](const std::string& text) {
    std::ofstream(folder.file("jobs.csv")) << text;
    try {
      (void)read_job_metrics(folder.file("jobs.csv"));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no complaint");
  };
  CHECK(complaint("gpu,model\nt4,a\n").find("jobs.csv: has no column 'clocks_current_sm_mhz_mean'") !=
        std::string::npos);
  std::string header = "gpu,model,batch,dataset_size,epoch_s";
  std::string row = "t4,a,16,5000,0";
  for (const std::string_view metric : kJobMetrics) {
    for (const std::string_view statistic : kJobStatistics) {
      header += ',' + std::string(metric) + '_' + std::string(statistic);
      row += ",1";
    }
  }
  CHECK(complaint(header + '\n' + row + '\n').find("line 2, 'epoch_s': must be above 0") !=
        std::string::npos);
  CHECK(complaint(header + ",n_gpus\n" + row + ",4\n").find("line 2, 'n_gpus': a job is of one device") !=
        std::string::npos);
}
