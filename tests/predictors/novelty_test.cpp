#include "sim/predictors/novelty.h"

#include <catch2/catch.hpp>

using namespace layersim;

TEST_CASE("novelty: the shape of weights does not tell batch and image") {
  const LayerKind& conv = *find_layer_kind("conv");
  const auto shape = [&](std::int64_t batch, std::int64_t size, std::int64_t kernel) {
    return weight_shape(make_problem(conv, DType::f32,
                                     {{"batch", batch},
                                      {"in_channels", 16},
                                      {"out_channels", 32},
                                      {"in_h", size},
                                      {"in_w", size},
                                      {"kernel_h", kernel},
                                      {"kernel_w", kernel}}));
  };
  REQUIRE(shape(1, 32, 3));
  CHECK(shape(1, 32, 3)->in_channels == 16);
  CHECK(shape(1, 32, 3) == shape(64, 224, 3));
  CHECK(shape(1, 32, 3) != shape(1, 32, 5));
}

TEST_CASE("novelty: a dense layer is a convolution of one point; products of activations have no weights") {
  const auto dense = weight_shape(make_problem(*find_layer_kind("dense"), DType::f32,
                                               {{"rows", 32}, {"in_features", 100}, {"out_features", 10}}));
  REQUIRE(dense);
  CHECK(*dense == WeightShape{.out_channels = 10, .in_channels = 100});
  CHECK_FALSE(weight_shape(
      make_problem(*find_layer_kind("matmul"), DType::f32, {{"batch", 8}, {"m", 4}, {"n", 4}, {"k", 4}})));
}

TEST_CASE("novelty: a twentieth of the time makes layers new, half of it outside the range a device") {
  CHECK(run_novelty({.ms = 100}, true) == RunNovelty::none);
  CHECK(run_novelty({.ms = 100, .outside_ms = 5, .new_weights_ms = 5}, true) == RunNovelty::none);
  CHECK(run_novelty({.ms = 100, .new_weights_ms = 6}, true) == RunNovelty::layers);
  CHECK(run_novelty({.ms = 100, .outside_ms = 6}, true) == RunNovelty::layers);
  CHECK(run_novelty({.ms = 100, .new_weights_ms = 100}, true) == RunNovelty::layers);
  CHECK(run_novelty({.ms = 100, .outside_ms = 51}, true) == RunNovelty::device);
  CHECK(run_novelty({.ms = 100}, false) == RunNovelty::device);
  CHECK(run_novelty({}, true) == RunNovelty::none);
}
