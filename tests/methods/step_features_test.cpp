// Features that are summed over a step.

#include <catch2/catch.hpp>

#include "sim/methods/common/tile_fill.h"

using namespace layersim;

namespace {

Problem conv(std::int64_t batch, std::int64_t in_channels, std::int64_t out_channels, std::int64_t size,
             std::int64_t groups = 1) {
  const LayerKind& kind = *find_layer_kind("conv");
  Problem problem = make_problem(kind, DType::f32,
                                 {{"batch", batch},
                                  {"in_channels", in_channels},
                                  {"out_channels", out_channels},
                                  {"groups", groups},
                                  {"in_h", size},
                                  {"in_w", size},
                                  {"kernel_h", 1},
                                  {"kernel_w", 1}});
  kind.derive(problem);
  return problem;
}

}  // namespace

TEST_CASE("a convolution fills its tiles of 128 x 32 and the last wave, or a share of them") {
  // 4 x 16 x 16 pixels: 8 tiles of rows; 64 channels: 2 of columns.
  CHECK(tile_fill(conv(4, 32, 64, 16), Pass::forward, 16) == Approx(1));
  CHECK(tile_fill(conv(4, 32, 64, 16), Pass::forward, 12) == Approx(16.0 / 24));
  CHECK(tile_fill(conv(4, 32, 8, 16), Pass::forward, 8) == Approx(8.0 / 32));
  CHECK(tile_fill(conv(4, 16, 64, 16), Pass::backward_data, 8) == Approx(16.0 / 32));
  // 32 weights in a filter are a quarter of a tile's rows; the batch is divided over the multiprocessors.
  CHECK(tile_fill(conv(4, 32, 64, 16), Pass::backward_weight, 1000) == Approx(32.0 / 128));
  // Each channel a product of its own.
  CHECK(tile_fill(conv(4, 32, 32, 16, 32), Pass::forward, 256) == Approx(1.0 / 32));
}
