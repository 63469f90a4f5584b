#include "sampler/campaign.h"

#include <catch2/catch.hpp>

#include "hwdb/device_file.h"
#include "sampler/device_proposal.h"
#include "sampler/fake_backend.h"
#include "sampler/noise_watch.h"
#include "sampler/problem_drawer.h"
#include "sim/core/error.h"
#include "sim/store/store_reader.h"
#include "tests/store/temporary_folder.h"

namespace layersim {
namespace {

constexpr NoiseLimits kLimits{};

SampleProblem dense(std::int64_t rows, Mode mode) {
  SampleProblem sample;
  sample.problem = make_problem(*find_layer_kind("dense"), DType::f32,
                                {{"rows", rows}, {"in_features", 512}, {"out_features", 512}, {"bias", 0}});
  sample.mode = mode;
  sample.optimizer = mode == Mode::training ? Optimizer::adam : Optimizer::none;
  return sample;
}

CampaignFacts facts_of(const std::string& id) {
  return {.id = id,
          .gpu = "k80",
          .stack = "formula1.0",
          .settings = R"({"campaign": ")" + id + R"(", "gpu": "k80", "stack": "formula1.0"})"};
}

CampaignProgress sample_into(const std::string& store, const std::string& id, std::uint64_t problems,
                             const std::string& device = "", std::uint64_t stop_after = 1000000) {
  const auto backend = make_fake_backend(device);
  const ProblemDrawer drawer(read_sweep_file(find_sweep_file("default")), 1);
  const CampaignOptions options{.problems = problems, .ignore_noise = true};
  const CampaignFacts facts = facts_of(id);
  SampleStore samples(store, facts);
  std::uint64_t added = 0;
  CampaignState state(
      options, samples, [&] { return added >= stop_after; },
      [&](const CampaignProgress& progress) { added = progress.measured + progress.skipped; });
  run_campaign(
      *backend, [&](std::uint64_t i) { return drawer.draw(i); }, options, facts, state);
  samples.finish();
  return state.progress();
}

std::size_t rows_in(const std::string& store) {
  std::size_t rows = 0;
  const StoreReader reader(store);
  for (const StoredTable& table : reader.tables()) rows += table.rows;
  return rows;
}

TEST_CASE("a training step has the times of its parts, a forward pass only its own") {
  const auto backend = make_fake_backend("");
  const SampleResult training = measure(*backend, dense(64, Mode::training), {}, kLimits);
  CHECK(training.timing.median_ms == Approx(training.parts.total_ms));
  CHECK(training.parts.forward_ms + training.parts.backward_ms + training.parts.update_ms ==
        Approx(training.parts.total_ms));
  CHECK(training.parts.update_ms > 0);
  const SampleResult forward = measure(*backend, dense(64, Mode::forward), {}, kLimits);
  CHECK(forward.timing.median_ms == Approx(training.parts.forward_ms));
  CHECK(forward.timing.repetitions == 5);
}

TEST_CASE("what does not fit into the device's memory is a result with its reason") {
  const auto backend = make_fake_backend("memory_mib=8");
  CHECK(measure(*backend, dense(64, Mode::forward), {}, kLimits).skipped.empty());
  CHECK(measure(*backend, dense(65536, Mode::forward), {}, kLimits).skipped == "out of memory");
  SampleProblem half = dense(64, Mode::forward);
  half.precision = Precision::fp16;
  CHECK(measure(*backend, half, {}, kLimits).skipped == "a formula knows fp32 alone");
}

TEST_CASE("a noisy machine is refused, at once or after a while") {
  CHECK_NOTHROW(check_quiet(*make_fake_backend("noise=0.05"), kLimits));
  CHECK_THROWS_WITH(check_quiet(*make_fake_backend("noise=3"), kLimits),
                    Catch::StartsWith("the machine is too noisy: 20 repetitions of one matrix product"));
  NoiseWatch watch;
  const SampleResult quiet{.sample = dense(1, Mode::forward)};
  SampleResult noisy = quiet;
  noisy.noisy = true;
  for (int i = 0; i < 20; ++i) {
    watch.add(quiet, kLimits);
    watch.add(noisy, kLimits);
  }
  CHECK_THROWS_WITH(watch.add(noisy, kLimits), Catch::Contains("21 of the last 40 layers"));
}

TEST_CASE("a campaign goes on where it stopped, and another one begins anew") {
  const tests::TemporaryFolder folder;
  const std::string store = folder.file("b.h5");
  CHECK(sample_into(store, "one", 50, "", 20).done == 20);
  CHECK(rows_in(store) == 20);
  const CampaignProgress rest = sample_into(store, "one", 50);
  CHECK(rest.measured == 30);
  CHECK(rest.done == 50);
  CHECK(sample_into(store, "one", 50).measured == 0);
  CHECK(sample_into(store, "one", 60).measured == 10);
  CHECK(rows_in(store) == 60);
  CHECK(sample_into(store, "two", 10).measured == 10);
  CHECK(rows_in(store) == 70);
  CHECK_FALSE(std::filesystem::exists(store + ".journal"));
  // One record a table and campaign, however often it was gone on with.
  CHECK(StoreReader(store).provenance().size() == 6);
}

TEST_CASE("skipped problems are kept and not tried again") {
  const tests::TemporaryFolder folder;
  const std::string store = folder.file("b.h5");
  const CampaignProgress progress = sample_into(store, "one", 200, "memory_mib=1");
  CHECK(progress.skipped > 10);
  CHECK(progress.measured + progress.skipped == 200);
  CHECK(StoreReader(store).read("skipped").rows() == progress.skipped);
  CHECK(StoreReader(store).read("skipped").text("skip_reason", 0) == "out of memory");
  CHECK(sample_into(store, "one", 200).skipped == 0);
  CHECK(rows_in(store) == 200);
}

TEST_CASE("the device file that is proposed for a CPU is one that is read") {
  HostFacts host;
  host.cpu = "AMD EPYC 7763 64-Core Processor";
  host.manufacturer = "amd";
  host.simd_lanes = 8;
  host.memory_gib = 16;
  host.l3_cache_mib = 32;
  const auto backend = make_fake_backend("");
  const Device device = read_device_text("d.json", propose_cpu_device(*backend, host));
  CHECK(device.key == "cpu-amd-epyc-7763-64-core-processor-1t");
  CHECK(device.device_type == "cpu");
  // 2 x 1024^3 FLOP at the formula's 1e12 FLOP/s, with a launch and the bytes.
  CHECK(device.peak_fp32_gflops == Approx(933).epsilon(0.05));
  CHECK(device.memory_gib == 16);
}

TEST_CASE("a set of numbers is written as ranges and read back") {
  IndexSet set;
  for (const std::uint64_t index : {4, 0, 1, 9, 2, 8}) set.add(index);
  CHECK(set.to_text() == "0-2,4,8-9");
  set.add(3);
  CHECK(set.to_text() == "0-4,8-9");
  CHECK(set.size() == 7);
  CHECK((set.contains(8) && !set.contains(5) && !set.contains(10)));
  CHECK(IndexSet("0-4,8-9").to_text() == "0-4,8-9");
  CHECK(IndexSet("").size() == 0);
  for (const char* text : {"a", "4-", "4-3", "1,", "-1", "1;2"}) CHECK_THROWS_AS(IndexSet(text), Error);
}

}  // namespace
}  // namespace layersim
