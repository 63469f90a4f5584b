#include "trainers/interval.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <random>

#include "tests/trainers/measured_samples.h"

using namespace layersim;

namespace {

// Samples with predictions that are wrong by a normal deviation of log(time): `small` below 1 ms, `large`
// above.
struct Predicted {
  SampleSet set;
  std::vector<std::size_t> all;
  std::vector<TimeEstimate> estimates;
};

Predicted predicted(std::size_t count, double small, double large) {
  Predicted result;
  const std::int32_t device = tests::add_device(result.set, "k80");
  const std::int32_t stack = tests::add_stack(result.set, "tf1.10");
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> log_ms(-3, 3);
  for (std::size_t i = 0; i < count; ++i) {
    Sample& sample = tests::add_sample(
        result.set, make_problem(*find_layer_kind("softmax"), DType::f32, {{"rows", 1}, {"cols", 1}}), device,
        stack);
    const double log_predicted = log_ms(random);
    sample.time_ms = std::exp(log_predicted + normal(random) * (log_predicted < 0 ? small : large));
    result.estimates.push_back({.log_ms = static_cast<float>(log_predicted)});
  }
  result.all.resize(count);
  std::iota(result.all.begin(), result.all.end(), std::size_t{0});
  return result;
}

double coverage(const Predicted& p, const std::vector<IntervalTable>& tables) {
  double inside = 0;
  for (std::size_t i = 0; i < p.all.size(); ++i) {
    const double log_ms = static_cast<double>(p.estimates[i].log_ms);
    const double width = half_width(tables.back(), std::exp(log_ms));
    if (std::abs(log_ms - std::log(p.set.samples[i].time_ms)) <= width) inside += 1;
  }
  return inside / static_cast<double>(p.all.size());
}

}  // namespace

TEST_CASE("intervals cover nine tenths of the rows and are wider where predictions are worse") {
  const Predicted p = predicted(3000, 0.02, 0.1);
  const auto tables = make_intervals(p.set, p.all, p.estimates);
  REQUIRE(tables.size() == 2);
  CHECK(tables.front().gpu.empty());
  CHECK(tables.back().gpu == "k80");
  CHECK(tables.back().stack == "tf1.10");
  CHECK(coverage(p, tables) == Approx(0.9).margin(0.005));
  REQUIRE(tables.back().half_width.size() == 3);
  // 1.645 standard deviations hold 90 % of a normal distribution.
  CHECK(tables.back().half_width.front() == Approx(1.645 * 0.02).epsilon(0.1));
  CHECK(tables.back().half_width.back() == Approx(1.645 * 0.1).epsilon(0.1));
}

TEST_CASE("a few rows make one interval for all sizes") {
  const Predicted p = predicted(50, 0.05, 0.05);
  const auto tables = make_intervals(p.set, p.all, p.estimates);
  CHECK(tables.back().half_width.size() == 1);
  CHECK(coverage(p, tables) >= 0.9);
  CHECK(make_intervals(p.set, {}, {}).empty());
}
