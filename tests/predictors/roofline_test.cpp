#include <catch2/catch.hpp>

#include "sim/core/error.h"
#include "sim/predictors/predictor.h"

using namespace layersim;

namespace {

// 1 TFLOP/s, 100 GB/s: 1e9 FLOP and 1e8 bytes take 1 ms each.
Device plain_device() {
  Device device;
  device.key = "plain";
  device.peak_fp32_gflops = 1000;
  device.peak_fp64_gflops = 500;
  device.peak_int8_gops = 4000;
  device.peak_fp16_tensor_gflops = 8000;
  device.memory_bandwidth_gb_s = 100;
  return device;
}

const LayerKind& some_kind() {
  static const LayerKind kKind{.name = "some", .summary = "", .parameters = {}, .operators = {}};
  return kKind;
}

PassWork pass(double macs, double flop, double read, double written, int kernels) {
  return {.macs = macs, .flop = flop, .bytes_read = read, .bytes_written = written, .kernels = kernels};
}

struct Case {
  Device device = plain_device();
  Problem problem{.kind = &some_kind(), .sizes = {}};
  LayerWork work;
  LayerQuery query;
  Conditions conditions;

  LayerPrediction predict() {
    query.problem = &problem;
    query.work = &work;
    conditions.device = &device;
    std::vector<LayerPrediction> predictions(1);
    make_predictor("roofline")->predict({&query, 1}, conditions, predictions);
    return predictions.front();
  }
};

constexpr double kLaunchMs = 0.004;

}  // namespace

TEST_CASE("roofline takes the longer of arithmetic and memory, and a launch per kernel") {
  Case c;
  c.conditions.mode = Mode::forward;
  c.work.forward = pass(1e9, 2e9, 0.5e8, 0.5e8, 1);  // 2 ms of arithmetic, 1 ms of memory
  CHECK(c.predict().forward_ms == Approx(2 + kLaunchMs));
  c.work.forward = pass(1e9, 2e9, 2e8, 1e8, 2);  // 3 ms of memory
  CHECK(c.predict().forward_ms == Approx(3 + 2 * kLaunchMs));
  CHECK(c.predict().backward_ms == 0);
  CHECK(c.predict().optimizer_ms == 0);
  CHECK(c.predict().basis == Basis::roofline);
  CHECK_FALSE(c.predict().interval_ms);
}

TEST_CASE("roofline uses the peak of the layer's data type") {
  Case c;
  c.conditions.mode = Mode::forward;
  c.work.forward = pass(4e9, 8e9, 0, 0, 0);
  CHECK(c.predict().forward_ms == Approx(8));
  c.problem.dtype = DType::f64;
  CHECK(c.predict().forward_ms == Approx(16));
  c.problem.dtype = DType::i8;
  CHECK(c.predict().forward_ms == Approx(2));
  c.problem.dtype = DType::f16;
  CHECK(c.predict().forward_ms == Approx(1));
  SECTION("arithmetic without products does not run on tensor cores") {
    c.work.forward.macs = 0;
    CHECK(c.predict().forward_ms == Approx(8));
  }
  SECTION("a missing rate is replaced by that of fp32") {
    c.problem.dtype = DType::bf16;
    c.conditions.precision = Precision::bf16;
    CHECK(c.predict().forward_ms == Approx(8));
  }
}

TEST_CASE("roofline counts each gradient only where it is needed") {
  Case c;
  c.work.backward_data = pass(1e9, 2e9, 0, 0, 0);
  c.work.backward_weight = pass(2e9, 4e9, 0, 0, 0);
  CHECK(c.predict().backward_ms == Approx(6));
  c.query.needs_input_gradient = false;
  CHECK(c.predict().backward_ms == Approx(4));
  c.query.needs_weight_gradient = false;
  CHECK(c.predict().backward_ms == 0);
}

TEST_CASE("roofline takes the optimizer's update as memory traffic of weights, gradients and states") {
  Case c;
  c.query.learned_elements = 1e7;  // 4e7 bytes: 0.4 ms for each read or write of all of them
  const std::vector<std::pair<Optimizer, int>> transfers{
      {Optimizer::sgd, 3},      {Optimizer::momentum, 5}, {Optimizer::adagrad, 5}, {Optimizer::rmsprop, 5},
      {Optimizer::adadelta, 7}, {Optimizer::adam, 7},     {Optimizer::adamw, 7}};
  for (const auto& [optimizer, count] : transfers) {
    c.conditions.optimizer = optimizer;
    CHECK(c.predict().optimizer_ms == Approx(0.4 * count + kLaunchMs));
  }
  c.conditions.optimizer = Optimizer::none;
  CHECK(c.predict().optimizer_ms == 0);
}

TEST_CASE("a layer without a model costs its memory traffic, in training once more for the gradient") {
  Case c;
  c.problem.kind = nullptr;
  c.work.forward = pass(0, 0, 1e8, 1e8, 1);
  CHECK(c.predict().forward_ms == Approx(2 + kLaunchMs));
  CHECK(c.predict().backward_ms == Approx(2 + kLaunchMs));
  CHECK(c.predict().basis == Basis::estimated);
  c.work.forward = {};
  CHECK(c.predict().total_ms() == 0);
  CHECK(c.predict().basis == Basis::none);
}

TEST_CASE("an unknown method names those that exist") {
  CHECK_THROWS_WITH(make_predictor("oracle"),
                    Catch::Contains("no method 'oracle'; there is layerwise, roofline"));
  CHECK(make_predictor("")->name() == predictor_methods().front().name);
}
