#include <catch2/catch.hpp>
#include <cmath>

#include "hwdb/device_db.h"
#include "sim/predictors/predictor.h"
#include "sim/predictors/stand_in.h"
#include "tests/conv_problem.h"

using namespace layersim;
using tests::conv3x3;

namespace {

LayerPrediction predict_one(const Problem& problem, const std::string& gpu, Mode mode,
                            Precision precision = Precision::fp32) {
  const Device device = DeviceDb().find(gpu);
  const Conditions conditions{.device = &device,
                              .precision = precision,
                              .mode = mode,
                              .optimizer = mode == Mode::training ? Optimizer::sgd : Optimizer::none};
  const LayerWork work = problem.kind->work(problem);
  const LayerQuery query{.problem = &problem, .work = &work, .learned_elements = work.weight_elements};
  LayerPrediction prediction;
  make_predictor("layerwise")->predict({&query, 1}, conditions, {&prediction, 1});
  return prediction;
}

}  // namespace

TEST_CASE("layerwise: a convolution like the measured ones is predicted from them") {
  const Problem problem = conv3x3(32, 56, 64);
  for (const char* gpu : {"k80", "v100-sxm2"}) {
    const LayerPrediction forward = predict_one(problem, gpu, Mode::forward);
    const LayerPrediction training = predict_one(problem, gpu, Mode::training);
    CHECK(forward.basis == Basis::trained);
    CHECK(forward.inside_trained_range);
    CHECK(forward.backward_ms == 0);
    CHECK(training.forward_ms == forward.forward_ms);
    CHECK(training.backward_ms > forward.forward_ms);
    REQUIRE(training.interval_ms);
    CHECK(training.interval_ms->low < training.total_ms());
    CHECK(training.interval_ms->high > training.total_ms());
  }
  CHECK(predict_one(problem, "v100-sxm2", Mode::forward).forward_ms <
        predict_one(problem, "k80", Mode::forward).forward_ms / 2);
}

TEST_CASE("layerwise: sizes and devices beyond the training are answered and marked") {
  CHECK_FALSE(predict_one(conv3x3(32, 2000, 64), "k80", Mode::forward).inside_trained_range);
  const LayerPrediction unknown = predict_one(conv3x3(32, 56, 64), "h200-sxm", Mode::training);
  CHECK_FALSE(unknown.inside_trained_range);
  CHECK(std::isfinite(unknown.total_ms()));
  CHECK(unknown.total_ms() > 0);
  const Device unmeasured = DeviceDb().find("h200-sxm");
  const Device measured = DeviceDb().find("k80");
  const auto predictor = make_predictor("layerwise");
  CHECK(predictor->warnings({.device = &measured}).size() + 1 ==
        predictor->warnings({.device = &unmeasured}).size());
}

TEST_CASE("layerwise: less precision than fp32 takes no longer where it was not measured") {
  for (const char* gpu : {"a10g", "h100-pcie", "a100-pcie-40gb", "rtx4090"}) {
    for (const std::int64_t channels : {1, 8, 64, 512}) {
      const LayerPrediction fp32 = predict_one(conv3x3(16, 28, channels), gpu, Mode::training);
      for (const Precision precision :
           {Precision::tf32, Precision::fp16, Precision::bf16, Precision::mixed}) {
        Problem problem = conv3x3(16, 28, channels);
        problem.dtype = problem.weight_dtype = compute_dtype(precision);
        const LayerPrediction reduced = predict_one(problem, gpu, Mode::training, precision);
        CHECK(reduced.forward_ms <= fp32.forward_ms);
        CHECK(reduced.backward_ms <= fp32.backward_ms);
        CHECK(reduced.forward_ms > 0);
      }
    }
  }
}

TEST_CASE("layerwise: a kind without measured rows of its own is learned from whole networks") {
  Problem pool = make_problem(*find_layer_kind("pool"), DType::f32,
                              {{"batch", 32}, {"channels", 64}, {"in_h", 56}, {"in_w", 56}});
  pool.kind->derive(pool);
  const LayerPrediction training = predict_one(pool, "k80", Mode::training);
  CHECK(training.basis == Basis::trained);
  CHECK(training.forward_ms > 0);
  CHECK(training.backward_ms > 0);
  REQUIRE(training.interval_ms);
  CHECK(training.interval_ms->high > training.total_ms());
}

TEST_CASE("stand-ins do the same multiplications") {
  Problem transposed = make_problem(*find_layer_kind("conv_transpose"), DType::f32,
                                    {{"batch", 2},
                                     {"in_channels", 8},
                                     {"out_channels", 4},
                                     {"in_h", 5},
                                     {"in_w", 7},
                                     {"kernel_h", 3},
                                     {"kernel_w", 3},
                                     {"stride_h", 2},
                                     {"stride_w", 2}});
  transposed.kind->derive(transposed);
  Problem attention = make_problem(*find_layer_kind("attention"), DType::f32,
                                   {{"batch", 2},
                                    {"heads", 4},
                                    {"kv_heads", 4},
                                    {"query_length", 16},
                                    {"key_length", 32},
                                    {"head_size", 64},
                                    {"value_head_size", 48}});
  for (const Problem& problem : {transposed, attention}) {
    const LayerWork work = problem.kind->work(problem);
    double macs = 0;
    for (const Problem& part : stand_ins(problem, work)) macs += part.kind->work(part).forward.macs;
    CHECK(macs == work.forward.macs);
  }
}

TEST_CASE("layerwise: an interval is wider for weights that no measured network has, and beyond the range") {
  const Device device = DeviceDb().find("k80");
  const Conditions conditions{.device = &device, .mode = Mode::training, .optimizer = Optimizer::sgd};
  const auto predictor = make_predictor("layerwise");
  const HostWork host{.kernels = 100};
  const auto width = [&](const LayersTime& layers) {
    const StepOverhead overhead = predictor->step_overhead(layers, host, conditions);
    REQUIRE(overhead.batch_interval_ms);
    return std::log(overhead.batch_interval_ms->high / (layers.ms + overhead.ms));
  };
  const double known = width({.ms = 100, .outside_ms = 0, .new_weights_ms = 0});
  const double with_new = width({.ms = 100, .outside_ms = 0, .new_weights_ms = 30});
  CHECK(width({.ms = 100, .outside_ms = 4, .new_weights_ms = 4}) == known);
  CHECK(with_new > known);
  CHECK(width({.ms = 100, .outside_ms = 60, .new_weights_ms = 0}) > with_new);
  // No run of pytorch2.1 has convolutions: other PyTorch runs tell how far off they may be.
  const Device b200 = DeviceDb().find("b200");
  const Conditions of_new{
      .device = &b200, .mode = Mode::training, .optimizer = Optimizer::sgd, .stack = "pytorch2.1"};
  const auto width_of_new = [&](double new_to_stack_ms) {
    LayersTime layers{.ms = 100, .outside_ms = 100, .new_weights_ms = 0};
    layers.new_to_stack_ms = new_to_stack_ms;
    return std::log(predictor->step_overhead(layers, host, of_new).batch_interval_ms->high);
  };
  CHECK(width_of_new(50) > width_of_new(0));
  CHECK(predict_one(conv3x3(32, 56, 64), "b200", Mode::training).is_new_to_stack);
  CHECK_FALSE(predict_one(conv3x3(32, 56, 64), "k80", Mode::training).is_new_to_stack);
  CHECK_FALSE(predict_one(conv3x3(32, 56, 64), "k80", Mode::training).has_new_weights);  // VGG has it
  CHECK(predict_one(conv3x3(32, 56, 67), "k80", Mode::training).has_new_weights);
}

TEST_CASE("layerwise: a convolution of few images takes no longer than one of more, down to one image") {
  for (const char* gpu : {"k80", "v100-sxm2", "rtx4090"}) {
    for (const std::int64_t size : {1, 2, 14}) {
      double of_more_ms = predict_one(conv3x3(16, size, 512), gpu, Mode::training).total_ms();
      for (const std::int64_t batch : {8, 4, 2, 1}) {
        const double ms = predict_one(conv3x3(batch, size, 512), gpu, Mode::training).total_ms();
        INFO(gpu << ", " << batch << " images of " << size << " x " << size);
        CHECK(ms <= of_more_ms);
        of_more_ms = ms;
      }
    }
  }
}
