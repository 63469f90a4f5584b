#include "layers/layer_kind.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "sim/core/error.h"
#include "sim/graph/shape_rule.h"

using namespace layersim;

TEST_CASE("kinds, their parameters and operators have unique names") {
  std::set<std::string_view> kinds;
  std::set<std::pair<std::string_view, std::string_view>> operators;
  for (const LayerKind* kind : layer_kinds()) {
    INFO(kind->name);
    CHECK(kinds.insert(kind->name).second);
    CHECK(find_layer_kind(kind->name) == kind);
    CHECK_FALSE(kind->summary.empty());
    std::set<std::string_view> parameters;
    for (const Parameter& parameter : kind->parameters) {
      INFO(parameter.name);
      CHECK(parameters.insert(parameter.name).second);
      CHECK_FALSE(parameter.unit.empty());
      CHECK(parameter.low <= parameter.high);
      if (parameter.unit == "choice") {
        CHECK(parameter.choices.size() == static_cast<std::size_t>(parameter.high - parameter.low + 1));
      }
    }
    for (const OperatorRule& rule : kind->operators) {
      INFO(rule.op);
      CHECK(operators.emplace(rule.domain, rule.op).second);
      CHECK(find_operator(rule.domain, rule.op) == &rule);
      CHECK(rule.lower != nullptr);
    }
  }
  CHECK(find_layer_kind("no_such_kind") == nullptr);
  CHECK(find_operator("", "NoSuchOperator") == nullptr);
  CHECK(find_operator("com.acme", "Conv") == nullptr);
}

TEST_CASE("the work of every kind is finite and not negative at both ends of its sampling ranges") {
  for (const LayerKind* kind : layer_kinds()) {
    INFO(kind->name);
    for (const bool high : {false, true}) {
      Problem problem = make_problem(*kind, DType::f32, {});
      for (std::size_t i = 0; high && i < problem.sizes.size(); ++i)
        problem.sizes[i] = kind->parameters[i].high;
      if (kind->derive != nullptr) kind->derive(problem);
      const LayerWork work = kind->work(problem);
      for (const PassWork& pass : {work.forward, work.backward_data, work.backward_weight}) {
        for (const double value :
             {pass.macs, pass.flop, pass.bytes_read, pass.bytes_written, double(pass.kernels)}) {
          CHECK(std::isfinite(value));
          CHECK(value >= 0);
        }
        CHECK(pass.flop >= 2 * pass.macs);
      }
      CHECK(work.weight_elements >= 0);
      CHECK(work.kept_elements >= 0);
    }
  }
}

TEST_CASE("a problem takes sizes by name, in any order") {
  const LayerKind& dense = *find_layer_kind("dense");
  const Problem problem =
      make_problem(dense, DType::f16, {{"out_features", 3}, {"rows", 7}, {"in_features", 5}});
  CHECK(problem.size("rows") == 7);
  CHECK(problem.size("in_features") == 5);
  CHECK(problem.size("out_features") == 3);
  CHECK(problem.size("bias") == 0);
  CHECK_THROWS_AS(problem.size("height"), Error);
  CHECK_THROWS_AS(make_problem(dense, DType::f32, {{"height", 1}}), Error);
}

TEST_CASE("activations have names that read back") {
  for (int i = 0; i <= static_cast<int>(Activation::other); ++i) {
    const auto activation = static_cast<Activation>(i);
    CHECK(parse_activation(name(activation)) == activation);
  }
  CHECK(parse_activation("swoosh") == std::nullopt);
  CHECK(activation_of_operator("HardSwish") == Activation::hard_swish);
  CHECK(activation_of_operator("Conv") == std::nullopt);
}

TEST_CASE("every operator of a kind has a shape rule") {
  for (const LayerKind* kind : layer_kinds()) {
    for (const OperatorRule& rule : kind->operators) {
      INFO(kind->name << ": " << rule.domain << "::" << rule.op);
      CHECK(find_shape_rule(rule.domain, rule.op) != nullptr);
    }
  }
}
