#include <catch2/catch.hpp>

#include "hwdb/device_db.h"
#include "sim/core/error.h"
#include "sim/features/apply_precision.h"
#include "sim/features/network_queries.h"
#include "sim/graph/graph_text.h"
#include "sim/timing/epoch_time.h"
#include "sim/timing/repeats.h"
#include "sim/timing/step_time.h"
#include "sim/timing/time_warnings.h"

using namespace layersim;

namespace {

LayerPrediction prediction(double forward_ms, double backward_ms, double optimizer_ms) {
  LayerPrediction result;
  result.forward_ms = forward_ms;
  result.backward_ms = backward_ms;
  result.optimizer_ms = optimizer_ms;
  return result;
}

Scope loop(int parent, std::int64_t trip_count) {
  Scope scope;
  scope.kind = Scope::Kind::loop;
  scope.parent = parent;
  scope.trip_count = trip_count;
  return scope;
}

Scope branch(int parent, int group, int index) {
  Scope scope;
  scope.kind = Scope::Kind::branch;
  scope.parent = parent;
  scope.name = "if" + std::to_string(group);
  scope.branch_group = group;
  scope.branch_index = index;
  return scope;
}

}  // namespace

TEST_CASE("a batch is the sum of its layers and the overhead") {
  const std::vector<LayerPrediction> layers{prediction(1, 2, 0.5), prediction(10, 20, 5)};
  const StepTime step = add_up(layers, {4, std::nullopt});
  CHECK(step.forward_ms == 11);
  CHECK(step.backward_ms == 22);
  CHECK(step.optimizer_ms == 5.5);
  CHECK(step.batch_ms() == 42.5);
  CHECK_FALSE(step.interval_ms);
  CHECK(add_up({}, {0, std::nullopt}).batch_ms() == 0);
  CHECK_FALSE(add_up({}, {0, std::nullopt}).interval_ms);
}

TEST_CASE("a batch has an interval when all layers that take time have one") {
  std::vector<LayerPrediction> layers{prediction(1, 0, 0), prediction(10, 0, 0), prediction(0, 0, 0)};
  layers[0].interval_ms = Interval{0.8, 1.3};
  CHECK_FALSE(add_up(layers, {2, std::nullopt}).interval_ms);
  layers[1].interval_ms = Interval{9, 12};
  REQUIRE(add_up(layers, {2, std::nullopt}).interval_ms);
  CHECK(add_up(layers, {2, std::nullopt}).interval_ms->low == Approx(11.8));
  CHECK(add_up(layers, {2, std::nullopt}).interval_ms->high == Approx(15.3));
}

TEST_CASE("repeats multiply both passes and not the update") {
  LayerPrediction once = prediction(1, 2, 3);
  once.interval_ms = Interval{4, 12};
  const LayerPrediction share = repeated(once, 3);
  CHECK(share.forward_ms == 3);
  CHECK(share.backward_ms == 6);
  CHECK(share.optimizer_ms == 3);
  CHECK(share.interval_ms->low == Approx(8));
  CHECK(share.interval_ms->high == Approx(24));
  CHECK(repeated(once, 0).total_ms() == 0);
}

TEST_CASE("the last batch of an epoch is smaller") {
  StepTime step;
  step.forward_ms = 100;
  step.backward_ms = 200;
  step.optimizer_ms = 10;
  step.overhead_ms = 1;
  const auto epoch_s = [&](std::int64_t dataset_size) {
    return epoch_time({.batch = 10, .dataset_size = dataset_size}, step, std::nullopt).epoch_s();
  };
  CHECK(epoch_s(100) == Approx(3.11));
  CHECK(epoch_s(105) == Approx(3.11 + 0.161));
  CHECK(epoch_s(5) == Approx(0.161));
}

TEST_CASE("epochs with a validation pass each") {
  StepTime step;
  step.forward_ms = 100;
  step.backward_ms = 200;
  StepTime validation;
  validation.forward_ms = 80;
  const EpochPlan plan{.batch = 10, .dataset_size = 100, .validation_size = 25, .epochs = 4};
  const EpochTime time = epoch_time(plan, step, validation);
  CHECK(time.pass_s == Approx(3));
  CHECK(time.validation_s == Approx(0.2));
  CHECK(time.epoch_s() == Approx(3.2));
  CHECK(time.total_s == Approx(12.8));
}

TEST_CASE("a batch does not take less than its loader") {
  StepTime step;
  step.forward_ms = 100;
  step.overhead_ms = 20;
  step.interval_ms = Interval{90, 180};
  wait_for_input(step, 100);
  CHECK(step.input_wait_ms == 0);
  CHECK(step.batch_ms() == 120);
  CHECK(step.interval_ms->low == 100);
  CHECK(step.interval_ms->high == 180);
  wait_for_input(step, 200);
  CHECK(step.input_wait_ms == 80);
  CHECK(step.batch_ms() == 200);
  CHECK(step.interval_ms->low == 200);
  CHECK(step.interval_ms->high == 200);
  // Half a batch is loaded in half the time.
  CHECK(epoch_time({.batch = 10, .dataset_size = 15}, step, std::nullopt).epoch_s() ==
        Approx(0.2 + 0.09 + 0.02));
}

TEST_CASE("loops count by their trip count, and of two branches the slower one") {
  Network network;
  auto& scopes = network.graph.scopes;
  scopes.push_back(loop(0, 5));
  scopes.push_back(branch(1, 0, 0));
  scopes.push_back(branch(2, 1, 0));
  scopes.push_back(branch(2, 1, 1));
  scopes.push_back(branch(1, 0, 1));
  std::vector<LayerPrediction> times;
  for (const auto& [scope, ms] :
       std::vector<std::pair<int, double>>{{0, 1}, {1, 1}, {3, 7}, {4, 2}, {5, 8}}) {
    Layer layer;
    layer.scope = scope;
    network.layers.push_back(layer);
    times.push_back(prediction(ms, 0, 0));
  }
  Warnings warnings;
  SECTION("the else branch wins") {
    CHECK(layer_repeats(network, times, warnings) == std::vector<double>{1, 5, 0, 0, 5});
    CHECK(warnings.all().size() == 2);
  }
  SECTION("the then branch wins, with the slower of its own branches") {
    times[4].forward_ms = 6;
    CHECK(layer_repeats(network, times, warnings) == std::vector<double>{1, 5, 5, 0, 0});
  }
  SECTION("a branch that the condition rules out does not count") {
    scopes[5].dead = true;
    const auto repeats = layer_repeats(network, times, warnings);
    CHECK(repeats == std::vector<double>{1, 5, 5, 0, 0});
    CHECK(warnings.all().size() == 1);
  }
}

TEST_CASE("a layer without gradients has no backward time, and its interval shrinks with it") {
  LayerPrediction layer = prediction(2, 3, 1);
  layer.interval_ms = Interval{3, 12};
  leave_out_backward(layer);
  CHECK(layer.forward_ms == 2);
  CHECK(layer.backward_ms == 0);
  CHECK(layer.optimizer_ms == 1);
  CHECK(layer.interval_ms->low == Approx(1.5));
  CHECK(layer.interval_ms->high == Approx(6));
}

namespace {

// x -> conv1 (keeps its input) -> relu (keeps its output) -> flatten, a view -> dense (keeps its input) -> y.
// Sizes in elements: x 1000, a 4000, b 4000, y 10.
// Its one parameter says what the backward pass reads: 1 the input, 2 the output.
const LayerKind& some_kind() {
  static const LayerKind kKind{.name = "some",
                               .summary = "",
                               .parameters = {{"kept", "choice", 1, 2}},
                               .operators = {},
                               .work = [](const Problem& problem) {
                                 LayerWork work;
                                 work.forward.bytes_read = 100 * bytes(problem.dtype);
                                 work.keeps_input = problem.sizes.front() == 1;
                                 work.keeps_output = problem.sizes.front() == 2;
                                 return work;
                               }};
  return kKind;
}
constexpr std::int64_t kKeepsInput = 1;
constexpr std::int64_t kKeepsOutput = 2;

Network small_network() {
  Network network;
  network.graph = parse_graph_text(R"(network small opset 17
input x f32 [1, 1000]
weight w1 f32 [25, 25]
weight w2 f32 [4000, 10]
a = Conv(x, w1)
b = Relu(a)
c = Flatten(b)
y = MatMul(c, w2)
output y
)");
  Graph& graph = network.graph;
  const auto id = [&](std::string_view name) {
    for (std::size_t i = 0; i < graph.values.size(); ++i) {
      if (graph.values[i].name == name) return static_cast<ValueId>(i);
    }
    throw internal_error("no such value");
  };
  const auto size = [&](std::string_view name, Shape shape) {
    Tensor& tensor = graph.value(id(name)).tensor;
    tensor.shape = std::move(shape);
    tensor.dtype = DType::f32;
  };
  size("x", {1, 1000});
  size("a", {1, 4000});
  size("b", {1, 4000});
  size("c", {1, 4000});
  size("y", {1, 10});
  const auto add = [&](std::string_view input, std::string_view weight, std::string_view output,
                       std::int64_t kept) {
    Layer layer;
    layer.problem.kind = &some_kind();
    layer.problem.sizes = {kept};
    layer.work = layer.problem.kind->work(layer.problem);
    layer.inputs = {id(input)};
    if (!weight.empty()) layer.weights = {id(weight)};
    layer.outputs = {id(output)};
    network.layers.push_back(layer);
  };
  add("x", "w1", "a", kKeepsInput);
  add("a", "", "b", kKeepsOutput);
  add("c", "w2", "y", kKeepsInput);
  network.layers[0].params = 625;
  network.layers[2].params = 40000;
  network.params = 40625;
  network.weight_bytes = 4 * 40625;
  return network;
}

}  // namespace

TEST_CASE("each layer becomes a query in the same order") {
  Network network = small_network();
  network.layers[0].needs_input_gradient = false;
  network.layers[1].needs_weight_gradient = false;
  const auto queries = make_queries(network);
  REQUIRE(queries.size() == 3);
  CHECK(queries[0].problem == &network.layers[0].problem);
  CHECK(queries[0].learned_elements == 625);
  CHECK_FALSE(queries[0].needs_input_gradient);
  CHECK(queries[0].needs_weight_gradient);
  CHECK_FALSE(queries[1].needs_weight_gradient);
}

TEST_CASE("a precision other than the file's changes bytes, and integer layers stay") {
  Network network = small_network();
  CHECK(precision_of(network) == Precision::fp32);
  network.layers[1].problem.dtype = DType::i8;
  network.layers[1].work = network.layers[1].problem.kind->work(network.layers[1].problem);
  network.layers[0].weight_bytes = 2500;
  apply_precision(network, Precision::fp16);
  CHECK(network.layers[0].problem.dtype == DType::f16);
  CHECK(network.layers[0].work.forward.bytes_read == 200);
  CHECK(network.layers[0].weight_bytes == 1250);
  CHECK(network.weight_bytes == 4 * 40625 - 1250);
  CHECK(network.layers[1].problem.dtype == DType::i8);
  CHECK(network.graph.values.front().tensor.dtype == DType::f16);
  CHECK(precision_of(network) == Precision::fp16);
}

TEST_CASE("a network of mostly quantized products runs in int8") {
  Network network = small_network();
  CHECK(count_quantized_layers(network) == 0);
  for (Layer& layer : network.layers) {
    layer.problem.dtype = DType::i8;
    layer.work.forward.bytes_read = 100;
  }
  CHECK(precision_of(network) == Precision::fp32);  // integers without products are no quantization
  network.layers[0].work.forward.macs = 10;
  network.layers[2].work.forward.macs = 10;
  CHECK(precision_of(network) == Precision::int8);
  CHECK(count_quantized_layers(network) == 2);
}

TEST_CASE("a user of PyTorch is told that its convolutions run in tf32") {
  const Device ampere = DeviceDb().find("a100-sxm4-40gb");
  const Device volta = DeviceDb().find("v100-sxm2");
  const Problem conv = make_problem(*find_layer_kind("conv"), DType::f32, {});
  const Problem dense = make_problem(*find_layer_kind("dense"), DType::f32, {});
  const auto said = [](const Problem& problem, const Conditions& conditions) {
    const LayerQuery query{.problem = &problem};
    Warnings warnings;
    warn_of_precision({&query, 1}, conditions, warnings);
    return warnings.all();
  };
  const std::vector<std::string> note = said(conv, {.device = &ampere, .stack = "pytorch2.1"});
  REQUIRE(note.size() == 1);
  CHECK_THAT(note[0], Catch::EndsWith("--precision tf32 has all products in it"));
  CHECK(said(conv, {.device = &ampere, .stack = "pytorch"}) == note);
  CHECK(said(conv, {.device = &ampere, .stack = "pytorch1.13"}) == note);
  CHECK(said(conv, {.device = &ampere, .stack = "pytorch1.4"}).empty());
  CHECK(said(conv, {.device = &ampere, .stack = "tf2.5"}).empty());
  CHECK(said(conv, {.device = &volta, .stack = "pytorch2.1"}).empty());
  CHECK(said(dense, {.device = &ampere, .stack = "pytorch2.1"}).empty());
  CHECK(said(conv, {.device = &ampere, .precision = Precision::tf32, .stack = "pytorch2.1"}).empty());
}

TEST_CASE("a precision without a published rate is told") {
  const Device volta = DeviceDb().find("v100-sxm2");
  Warnings warnings;
  warn_of_precision({}, {.device = &volta, .precision = Precision::bf16}, warnings);
  REQUIRE(warnings.all().size() == 1);
  CHECK(warnings.all()[0] == "v100-sxm2 has no published bf16 rate: its fp32 rate is used");
}
