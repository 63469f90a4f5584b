// Every kind that is sampled runs on libtorch, forward and in training.
#include <catch2/catch.hpp>
#include <cstdio>
#include <set>

#include "sampler/measurement.h"
#include "sampler/problem_drawer.h"
#include "sim/core/error.h"
#include "sim/core/module_loader.h"

namespace layersim {
namespace {

constexpr Protocol kShort{.warm_up_calls = 1, .repetitions = 2, .shortest_repetition_ms = 0, .most_calls = 1};

bool has_libtorch() {
  if (find_module_entry("layersim_torch_sampler.so", "layersim_torch_backend") != nullptr) return true;
  std::puts("SKIPPED: built without libtorch");
  return false;
}

Sweep small_sweep() {
  Sweep sweep = read_sweep_file(find_sweep_file("default"));
  sweep.max_memory_mib = 0.5;
  sweep.max_gflop = 0.02;
  sweep.optimizers = {Optimizer::sgd,  Optimizer::momentum, Optimizer::adagrad, Optimizer::adadelta,
                      Optimizer::adam, Optimizer::adamw,    Optimizer::rmsprop};
  return sweep;
}

TEST_CASE("every kind of the default sweep runs, forward and in training") {
  if (!has_libtorch()) return;
  const auto backend = open_backend("cpu", 1);
  const ProblemDrawer drawer(small_sweep(), 2);
  std::set<std::string> seen;
  for (std::uint64_t i = 0; i < 256; ++i) {
    const SampleProblem sample = drawer.draw(i);
    INFO(to_text(sample));
    const SampleResult result = measure(*backend, sample, kShort, {.attempts = 1});
    CHECK(result.skipped == "");
    CHECK(result.timing.median_ms > 0);
    if (sample.mode == Mode::training) CHECK(result.parts.backward_ms > 0);
    CHECK((result.parts.update_ms > 0) == (sample.mode == Mode::training));
    seen.insert(std::string(sample.problem.kind->name) + ' ' + std::string(name(sample.mode)));
  }
  CHECK(seen.size() == 32);
}

TEST_CASE("what libtorch cannot run is a reason, not a crash") {
  if (!has_libtorch()) return;
  const auto backend = open_backend("cpu", 1);
  SampleProblem sample;
  sample.problem = make_problem(*find_layer_kind("recurrent"), DType::f32,
                                {{"hidden", 4}, {"in_features", 4}, {"directions", 1}, {"peepholes", 1}});
  CHECK(measure(*backend, sample, kShort, {}).skipped == "libtorch has no peepholes");
  sample.problem = make_problem(*find_layer_kind("decomposed_norm"), DType::f32, {});
  CHECK(measure(*backend, sample, kShort, {}).skipped == "the sampler has no libtorch layer of this kind");
  sample.problem = make_problem(*find_layer_kind("dense"), DType::f32, {{"rows", 4}});
  sample.precision = Precision::fp8;
  CHECK(measure(*backend, sample, kShort, {}).skipped == "the sampler does not run this precision");
}

TEST_CASE("a device that is not here is bad use") {
  if (!has_libtorch()) return;
  CHECK_THROWS_AS(open_backend("abacus", 1), Error);
  CHECK_THROWS_AS(open_backend("cuda:99", 1), Error);
}

}  // namespace
}  // namespace layersim
