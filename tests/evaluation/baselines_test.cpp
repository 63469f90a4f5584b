#include "sim/evaluation/baselines.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

#include "tests/trainers/measured_samples.h"

using namespace layersim;

namespace {

std::vector<std::size_t> all_of(const SampleSet& set) {
  std::vector<std::size_t> samples(set.samples.size());
  std::iota(samples.begin(), samples.end(), std::size_t{0});
  return samples;
}

// Dense layers of rising size; their times are to be set.
SampleSet dense_samples(std::int64_t count) {
  SampleSet set;
  const std::int32_t device = tests::add_device(set, "k80");
  const std::int32_t stack = tests::add_stack(set, "tf1.10");
  for (std::int64_t i = 0; i < count; ++i) {
    const Problem problem = make_problem(*find_layer_kind("dense"), DType::f32,
                                         {{"rows", 8}, {"in_features", 64 + i}, {"out_features", 100}});
    tests::add_sample(set, problem, device, stack).time_ms = 1;
  }
  return set;
}

}  // namespace

TEST_CASE("the linear baseline finds a line through FLOP") {
  SampleSet set = dense_samples(60);
  for (Sample& sample : set.samples) sample.time_ms = 0.25 + 3e-6 * sample.work.forward.flop;
  const std::vector<double> times = linear_ms(set, all_of(set));
  for (std::size_t i = 0; i < times.size(); ++i) CHECK(times[i] == Approx(set.samples[i].time_ms));
}

TEST_CASE("no row has a part in the line that predicts it") {
  SampleSet set = dense_samples(60);
  const std::vector<double> before = linear_ms(set, all_of(set));
  set.samples[30].time_ms = 1000;
  const std::vector<double> after = linear_ms(set, all_of(set));
  CHECK(after[30] == Approx(before[30]));
  const auto changed = [&](std::size_t i) { return std::abs(after[i] - before[i]) > 1e-6; };
  std::size_t others = 0;
  for (std::size_t i = 0; i < after.size(); ++i) others += changed(i) ? 1 : 0;
  CHECK(others > 30);
}

TEST_CASE("too few rows have no line") {
  const SampleSet set = dense_samples(10);
  for (const double time_ms : linear_ms(set, all_of(set))) CHECK(std::isnan(time_ms));
}

TEST_CASE("the roofline of a pass is its part of the step") {
  SampleSet set = dense_samples(1);
  Sample sample = set.samples.front();
  const double forward_ms = roofline_ms(set, sample);
  sample.pass = Pass::backward_data;
  const double data_ms = roofline_ms(set, sample);
  sample.pass = Pass::backward_weight;
  const double weight_ms = roofline_ms(set, sample);
  sample.pass = Pass::backward;
  CHECK(roofline_ms(set, sample) == Approx(data_ms + weight_ms));
  sample.pass = Pass::training;
  CHECK(roofline_ms(set, sample) == Approx(forward_ms + data_ms + weight_ms));
  sample.has_gradient = false;
  CHECK(roofline_ms(set, sample) == Approx(forward_ms));
  CHECK(forward_ms > 8 * 64 * 100 * 2 / (set.devices.front().peak_fp32_gflops * 1e6));
}
