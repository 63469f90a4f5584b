// Speed of the trained networks of a predictor file: predictor_speed FILE
// For each network it predicts random layers of its family, features included, on one core under the
// conditions of which the file has the most rows. Prints million layers a second, and the share of the time
// that goes into the features.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include "hwdb/device_db.h"
#include "sim/core/error.h"
#include "sim/features/device_numbers.h"
#include "sim/predictors/predictor_file.h"

namespace {

using namespace layersim;

constexpr std::size_t kLayers = 20000;
constexpr int kRepetitions = 15;

std::int64_t log_uniform(std::mt19937_64& random, double low, double high) {
  return std::llround(std::exp(std::uniform_real_distribution<>(std::log(low), std::log(high))(random)));
}

Problem random_problem(const std::string& family, std::mt19937_64& random) {
  const auto size = [&](double high) { return log_uniform(random, 1, high); };
  const auto kind = [](const char* name) -> const LayerKind& { return *find_layer_kind(name); };
  if (family == "conv") {
    const std::int64_t kernel = 1 + static_cast<std::int64_t>(random() % 7);
    const std::int64_t input = kernel + size(200);
    const std::int64_t stride = 1 + static_cast<std::int64_t>(random() % 3);
    return make_problem(kind("conv"), DType::f32,
                        {{"batch", size(64)},
                         {"in_channels", size(1024)},
                         {"out_channels", size(1024)},
                         {"in_h", input},
                         {"in_w", input},
                         {"kernel_h", kernel},
                         {"kernel_w", kernel},
                         {"stride_h", stride},
                         {"stride_w", stride}});
  }
  if (family == "gemm") {
    return make_problem(kind("dense"), DType::f32,
                        {{"rows", size(512)}, {"in_features", size(4096)}, {"out_features", size(4096)}});
  }
  if (family == "rowwise")
    return make_problem(kind("softmax"), DType::f32, {{"rows", size(4096)}, {"cols", size(4096)}});
  if (family == "recurrent") {
    return make_problem(kind("recurrent"), DType::f32,
                        {{"batch", size(128)}, {"steps", size(100)}, {"hidden", size(2048)}});
  }
  const std::int64_t elements = size(1e7);
  return make_problem(kind("elementwise"), DType::f32,
                      {{"elements", elements}, {"operand_elements", 2 * elements}, {"operands", 2}});
}

// Of the processor, so that other processes on it do not count.
template <typename Body>
double best_seconds(Body&& body) {
  double best = 1e9;
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    const std::clock_t start = std::clock();
    body();
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return best;
}

void measure(const TrainedNetwork& network) {
  const auto known = std::max_element(network.known.begin(), network.known.end(),
                                      [](const KnownRows& a, const KnownRows& b) { return a.rows < b.rows; });
  const Device device = DeviceDb().find(known->gpu);
  const Conditions conditions{.device = &device, .optimizer = Optimizer::adam, .stack = known->stack};
  const FeatureFamily& family = *find_feature_family(network.family);
  std::mt19937_64 random(1);
  std::deque<Problem> problems;
  std::deque<LayerWork> works;
  std::vector<FeatureQuery> queries;
  for (std::size_t i = 0; i < kLayers; ++i) {
    Problem& problem = problems.emplace_back(random_problem(network.family, random));
    if (problem.kind->derive != nullptr) problem.kind->derive(problem);
    works.push_back(problem.kind->work(problem));
    queries.push_back({.layer = {.problem = &problem,
                                 .work = &works.back(),
                                 .learned_elements = works.back().weight_elements},
                       .pass = i % 2 == 0 ? Pass::forward : Pass::training});
  }
  std::vector<TimeEstimate> estimates(queries.size());
  const double whole_s = best_seconds([&] { evaluate(network, queries, conditions, estimates); });
  const DeviceNumbers numbers(conditions);
  std::vector<float> features(family.features.size());
  std::vector<float> terms(family.terms.size());
  const double features_s = best_seconds([&] {
    for (const FeatureQuery& query : queries) family.fill(query, numbers, features.data(), terms.data());
  });
  const std::string name = network.family + '@' + network.stack_group;
  std::printf("%-16s %6.2f million layers/s, %2.0f %% of the time for features, %zu network%s\n",
              name.c_str(), static_cast<double>(kLayers) / whole_s / 1e6, 100 * features_s / whole_s,
              network.members.size(), network.members.size() == 1 ? "" : "s");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: predictor_speed FILE\n");
    return 2;
  }
  try {
    for (const TrainedNetwork& network : read_predictor_file(argv[1]).networks) measure(network);
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return error.exit_code();
  }
  return 0;
}
