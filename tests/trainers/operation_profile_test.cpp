#include "trainers/operation_profile.h"

#include <catch2/catch.hpp>

#include "sim/core/error.h"
#include "tests/store/temporary_folder.h"
#include "trainers/run_table_dataset.h"

using namespace layersim;

namespace {

// Of the parts of a training step of the layer, in their order.
std::vector<std::optional<StepOperation>> operations_of(const Problem& problem) {
  const LayerWork work = problem.kind->work(problem);
  const LayerQuery query{.problem = &problem,
                         .work = &work,
                         .learned_elements = work.weight_elements,
                         .needs_input_gradient = true,
                         .needs_weight_gradient = work.weight_elements > 0};
  std::vector<StepPart> parts;
  append_parts(query, 0, Conditions{.mode = Mode::training}, parts);
  std::vector<std::optional<StepOperation>> operations;
  for (const StepPart& part : parts) operations.push_back(step_operation(part));
  return operations;
}

Problem problem(const char* kind, std::initializer_list<NamedSize> sizes) {
  Problem of_kind = make_problem(*find_layer_kind(kind), DType::f32, sizes);
  if (of_kind.kind->derive) of_kind.kind->derive(of_kind);
  return of_kind;
}

RunSet runs_of(const std::string& table) {
  const tests::TemporaryFolder folder;
  RunSet set;
  RunSetBuilder builder(set);
  add_runs(read_run_table(folder.write("runs.csv", table)), builder);
  return set;
}

}  // namespace

TEST_CASE("operation profile: parts of a step fall into the classes that profilers tell apart") {
  using Operations = std::vector<std::optional<StepOperation>>;
  Problem conv =
      problem("conv", {{"batch", 8}, {"in_channels", 3}, {"out_channels", 16}, {"in_h", 32}, {"in_w", 32}});
  conv.activation = Activation::relu;
  CHECK(operations_of(conv) == Operations{StepOperation::conv_forward, StepOperation::conv_input_gradient,
                                          StepOperation::conv_weight_gradient, StepOperation::conv_forward,
                                          StepOperation::activation_gradient});
  CHECK(operations_of(problem("conv", {{"batch", 8},
                                       {"in_channels", 16},
                                       {"out_channels", 16},
                                       {"groups", 16},
                                       {"in_h", 9},
                                       {"in_w", 9}})) ==
        Operations{StepOperation::depthwise_forward, StepOperation::depthwise_input_gradient,
                   StepOperation::depthwise_weight_gradient});
  CHECK(operations_of(problem("dense", {{"rows", 8}, {"in_features", 10}, {"out_features", 4}})) ==
        Operations(3, StepOperation::product));
  CHECK(operations_of(problem("pool", {{"batch", 8}, {"channels", 4}, {"in_h", 8}, {"in_w", 8}})) ==
        Operations(2, StepOperation::pool));
  CHECK(operations_of(problem("norm", {{"function", 0}, {"rows", 64}, {"cols", 16}})) ==
        Operations{StepOperation::batch_norm_forward, StepOperation::batch_norm_gradient});
  CHECK(operations_of(problem("softmax", {{"rows", 8}, {"cols", 10}})) == Operations(2));
}

TEST_CASE("operation profile: a table of runs tells the times of operations, or leaves them out") {
  const RunSet set = runs_of(
      "network,gpu,batch,measured_ms,pool_ms,product_ms\n"
      "lenet5,k80,16,20,1.5,0\n"
      "lenet5,k80,32,25,,\n");
  REQUIRE(set.runs.size() == 2);
  CHECK(set.runs[0].operations_ms[static_cast<std::size_t>(StepOperation::pool)] == 1.5);
  CHECK(set.runs[0].operations_ms[static_cast<std::size_t>(StepOperation::conv_forward)] == 0);
  CHECK(set.runs[1].operations_ms == OperationTimes{});
}

TEST_CASE("operation profile: what is no time is an error that names line and column") {
  for (const char* wrong : {"x", "-1", "nan", "1e300"}) {
    INFO(wrong);
    CHECK_THROWS_WITH(
        runs_of(std::string("network,gpu,batch,measured_ms,pool_ms\nlenet5,k80,16,20,") + wrong + "\n"),
        Catch::Contains("runs.csv: line 2: column 'pool_ms'"));
  }
}
