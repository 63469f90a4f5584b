#include "trainers/plan.h"

#include <catch2/catch.hpp>
#include <numeric>

#include "tests/trainers/measured_samples.h"

using namespace layersim;

namespace {

// One dense layer on each stack.
SampleSet dense_on(const std::vector<std::string>& stacks) {
  SampleSet set;
  const std::int32_t device = tests::add_device(set, "k80");
  for (const std::string& stack : stacks) {
    tests::add_sample(set, make_problem(*find_layer_kind("dense"), DType::f32, {{"rows", 4}}), device,
                      tests::add_stack(set, stack));
  }
  return set;
}

std::vector<std::string> planned_names(const SampleSet& set) {
  std::vector<std::size_t> all(set.samples.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::vector<std::string> names;
  for (const PlannedNetwork& network : plan_networks(set, all)) {
    names.push_back(network.name() + ' ' + std::to_string(network.samples.size()));
  }
  return names;
}

}  // namespace

TEST_CASE("stacks with a network of their own are left out of the one for all others") {
  CHECK(planned_names(dense_on({"tf1.10", "pytorch2.1", "cudnn7"})) ==
        std::vector<std::string>{"gemm@tf 1", "gemm@* 2"});
}

TEST_CASE("a network that no rows are for is not planned") {
  CHECK(planned_names(dense_on({"tf2.5"})) == std::vector<std::string>{"gemm@tf 1"});
  CHECK(planned_names(dense_on({"oneapi2"})) == std::vector<std::string>{"gemm@* 1"});
  CHECK(planned_names(dense_on({})).empty());
}
