#include "sim/predictors/precision_limit.h"

#include <catch2/catch.hpp>

using namespace layersim;

TEST_CASE("precision limit: floating-point layers are put in fp32, others left as they are") {
  Problem half = make_problem(*find_layer_kind("dense"), DType::f16,
                              {{"rows", 8}, {"in_features", 16}, {"out_features", 32}});
  half.weight_dtype = DType::f16;
  Problem quantized = half;
  quantized.dtype = quantized.weight_dtype = DType::i8;
  Problem unknown;
  unknown.dtype = DType::bf16;
  LayerWork work = half.kind->work(half);
  LayerWork unknown_work;
  unknown_work.forward = {.bytes_read = 200, .bytes_written = 100};
  const std::vector<LayerQuery> queries{{.problem = &half, .work = &work, .learned_elements = 512},
                                        {.problem = &quantized, .work = &work},
                                        {.problem = &unknown, .work = &unknown_work}};
  const Fp32Queries fp32(queries);
  REQUIRE(fp32.queries().size() == 3);
  CHECK(fp32.queries()[0].problem->dtype == DType::f32);
  CHECK(fp32.queries()[0].problem->weight_dtype == DType::f32);
  CHECK(fp32.queries()[0].work->forward.bytes() == 2 * work.forward.bytes());
  CHECK(fp32.queries()[0].work->forward.macs == work.forward.macs);
  CHECK(fp32.queries()[0].learned_elements == 512);
  CHECK(fp32.queries()[1].problem == &quantized);
  CHECK(fp32.queries()[2].work->forward.bytes() == 600);
}

TEST_CASE("precision limit: each pass is held to fp32, and the interval goes with the sum") {
  LayerPrediction fp32;
  fp32.forward_ms = 2;
  fp32.backward_ms = 4;
  fp32.optimizer_ms = 1;
  fp32.basis = Basis::trained;
  LayerPrediction reduced{.forward_ms = 3,
                          .backward_ms = 3.5,
                          .optimizer_ms = 0.5,
                          .interval_ms = Interval{3.5, 14},
                          .basis = Basis::trained};
  limit_to_fp32(fp32, reduced);
  CHECK(reduced.forward_ms == 2);
  CHECK(reduced.backward_ms == 3.5);
  CHECK(reduced.optimizer_ms == 0.5);
  CHECK(reduced.interval_ms->low == Approx(3));
  CHECK(reduced.interval_ms->high == Approx(12));
  LayerPrediction nothing_known;
  nothing_known.forward_ms = 9;
  limit_to_fp32(fp32, nothing_known);
  CHECK(nothing_known.forward_ms == 9);
}

TEST_CASE("precision limit: fp64 and integers are not below fp32") {
  for (const Precision precision :
       {Precision::tf32, Precision::fp16, Precision::bf16, Precision::mixed, Precision::fp8})
    CHECK(is_below_fp32(precision));
  for (const Precision precision : {Precision::fp64, Precision::fp32, Precision::int8})
    CHECK_FALSE(is_below_fp32(precision));
}
