#include "sampler/sweep.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <map>

#include "sampler/problem_drawer.h"
#include "sim/core/config_dir.h"
#include "sim/core/error.h"

namespace layersim {
namespace {

std::string sweep_text(const std::string& entries) {
  return R"({"schema_version": 1, "name": "test", "source": "made up", "forward_share": 0.5,
             "max_memory_mib": 64, "max_gflop": 1, "optimizers": ["sgd", "adam"], "precisions": ["fp32"],
             "entries": [)" +
         entries + "]}";
}

constexpr const char* kDense = R"({"kind": "dense", "activations": ["none", "relu"], "parameters": {
    "rows": {"low": 8, "high": 64, "draw": "uniform", "multiple_of": 8},
    "in_features": {"values": [3, 5]},
    "out_features": {"equal_to": "in_features", "times": 2}}})";

void check_refused(const std::string& entries, const std::string& part) {
  INFO(entries);
  CHECK_THROWS_WITH(read_sweep_text("s.json", sweep_text(entries)),
                    Catch::StartsWith("s.json: ") && Catch::Contains(part));
}

TEST_CASE("a problem has the numbers that its sweep gives") {
  const ProblemDrawer drawer(read_sweep_text("s.json", sweep_text(kDense)), 1);
  std::map<std::string, int> seen;
  for (std::uint64_t i = 0; i < 400; ++i) {
    const SampleProblem sample = drawer.draw(i);
    const std::int64_t rows = sample.problem.size("rows");
    CHECK((rows >= 8 && rows <= 64 && rows % 8 == 0));
    const std::int64_t in = sample.problem.size("in_features");
    CHECK((in == 3 || in == 5));
    CHECK(sample.problem.size("out_features") == 2 * in);
    CHECK((sample.mode == Mode::forward) == (sample.optimizer == Optimizer::none));
    ++seen["mode " + std::string(name(sample.mode))];
    ++seen["optimizer " + std::string(name(sample.optimizer))];
    ++seen["activation " + std::string(name(sample.problem.activation))];
  }
  CHECK(seen["mode forward"] == Approx(200).margin(40));
  CHECK(seen["optimizer adam"] == Approx(100).margin(40));
  CHECK(seen["activation relu"] == Approx(200).margin(40));
}

TEST_CASE("a sweep leaves the gradient of a first layer's input out and adds to another parameter's number") {
  const ProblemDrawer drawer(
      read_sweep_text("s.json", sweep_text(R"({"kind": "dense", "input_gradient": false,
      "parameters": {"in_features": {"values": [7]},
                     "out_features": {"equal_to": "in_features", "times": 2, "plus": 3}}})")),
      1);
  for (std::uint64_t i = 0; i < 40; ++i) {
    const SampleProblem sample = drawer.draw(i);
    CHECK(sample.problem.size("out_features") == 17);
    CHECK(sample.input_gradient == (sample.mode == Mode::forward));
  }
}

TEST_CASE("what learns nothing has no step without its input's gradient") {
  const Sweep sweep = read_sweep_text("s.json", sweep_text(R"({"kind": "softmax", "input_gradient": false,
      "parameters": {}})"));
  const ProblemDrawer drawer(sweep, 1);
  for (std::uint64_t i = 0; i < 20; ++i) CHECK(drawer.draw(i).mode == Mode::forward);
}

TEST_CASE("a seed gives the same problems, another one others") {
  const Sweep sweep = read_sweep_file(find_sweep_file("default"));
  const ProblemDrawer first(sweep, 7);
  const ProblemDrawer second(sweep, 7);
  const ProblemDrawer other(sweep, 8);
  int different = 0;
  for (std::uint64_t i = 0; i < 40; ++i) {
    CHECK(to_text(first.draw(i)) == to_text(second.draw(i)));
    different += to_text(first.draw(i)) != to_text(other.draw(i)) ? 1 : 0;
  }
  CHECK(different > 35);
}

TEST_CASE("the problems of the sweeps that come along can be measured and keep the limits") {
  for (const auto& file : std::filesystem::directory_iterator(config_dir() / "sweeps")) {
    INFO(file.path());
    const Sweep sweep = read_sweep_file(file.path());
    const ProblemDrawer drawer(sweep, 3);
    for (std::uint64_t i = 0; i < 500; ++i) {
      const SampleProblem sample = drawer.draw(i);
      INFO(to_text(sample));
      CHECK(reason_not_to_measure(sample).empty());
      CHECK(memory_mib(sample) <= sweep.max_memory_mib);
      CHECK(step_gflop(sample) <= sweep.max_gflop);
      for (const std::int64_t size : sample.problem.sizes) CHECK(size >= 0);
    }
  }
}

TEST_CASE("a sweep that makes no sense is refused by file and key") {
  check_refused(R"({"kind": "sausage", "parameters": {}})",
                "'entries[0].kind': there is no layer kind 'sausage'");
  check_refused(R"({"kind": "dense", "parameters": {"batch": {"values": [1]}}})", "has no parameter 'batch'");
  check_refused(R"({"kind": "dense", "parameters": {"rows": {"low": 9, "high": 8, "draw": "uniform"}}})",
                "'entries[0].parameters.rows.high': must be from 9");
  check_refused(R"({"kind": "dense", "parameters": {"rows": {"low": 0, "high": 8, "draw": "log_uniform"}}})",
                "rows.low");
  check_refused(R"({"kind": "dense", "parameters": {"rows": {"low": 1, "high": 8, "draw": "normal"}}})",
                "neither uniform nor log_uniform");
  check_refused(R"({"kind": "dense", "parameters": {"rows": {"values": []}}})", "must hold one at least");
  check_refused(R"({"kind": "dense", "parameters": {"rows": {"equal_to": "in_features"},
                                                    "in_features": {"equal_to": "rows"}}})",
                "equal to another one");
  check_refused(R"({"kind": "matmul", "parameters": {"matrices_a": {"values": [1]}}})",
                "follows from the others");
  check_refused(R"({"kind": "pool", "parameters": {"function": {"values": ["median"]}}})",
                "unknown name 'median'");
  check_refused(R"({"kind": "dense", "parameters": {}, "colour": 1})", "colour");
  check_refused("", "'entries': must hold one at least");
}

TEST_CASE("limits that nothing fits into are told, not tried for ever") {
  Sweep sweep = read_sweep_text("s.json", sweep_text(kDense));
  sweep.max_memory_mib = 1e-6;
  CHECK_THROWS_WITH(ProblemDrawer(sweep, 1).draw(0), Catch::Contains("no problem of kind 'dense' fits"));
}

TEST_CASE("only the kinds that are asked for are kept") {
  Sweep sweep = read_sweep_file(find_sweep_file("default"));
  keep_kinds(sweep, {"conv", "pool"});
  for (const SweepEntry& entry : sweep.entries)
    CHECK((entry.kind->name == "conv" || entry.kind->name == "pool"));
  CHECK_THROWS_WITH(keep_kinds(sweep, {"dense"}), "sweep default has no entry of kind 'dense'");
}

TEST_CASE("the memory of a training step holds gradients and the optimizer's states") {
  SampleProblem sample;
  sample.problem = make_problem(*find_layer_kind("dense"), DType::f32,
                                {{"rows", 1024}, {"in_features", 1024}, {"out_features", 1024}, {"bias", 0}});
  CHECK(memory_mib(sample) == Approx(12));
  CHECK(step_gflop(sample) == Approx(2 * 1024.0 * 1024 * 1024 / 1e9));
  sample.mode = Mode::training;
  sample.optimizer = Optimizer::adam;
  CHECK(memory_mib(sample) == Approx(24 + 8));
}

}  // namespace
}  // namespace layersim
