// Features that are summed over a step.

#include <catch2/catch.hpp>
#include <cmath>

#include "hwdb/device_db.h"
#include "sim/methods/common/sustained_rates.h"
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

TEST_CASE("of a sheet's peak remains what the schedulers can start and the power allows") {
  const DeviceDb devices;
  const auto kept = [&](const char* key) {
    const Device device = devices.find(key);
    return sustained_device(device).peak_fp32_gflops / device.peak_fp32_gflops;
  };
  // 128 instructions for 64 lanes; 64 for 64 and 128 for 128, of which 36 of 136 are no fp32.
  CHECK(kept("v100-sxm2") == Approx(1));
  CHECK(kept("p100-pcie") == Approx(1 / 1.36));
  CHECK(kept("titan-x-maxwell") == Approx(1 / 1.36));
  // 115.7 GFLOP/s per watt instead of 45.
  CHECK(kept("t4") == Approx(std::sqrt(45 / (8100.0 / 70))).epsilon(1e-3));
  // 128 for 192 lanes, and 29.1 GFLOP/s per watt instead of 20.
  CHECK(kept("k80") == Approx(128 / 192.0 / 1.36 * std::sqrt(20 / (4368.0 / 150))).epsilon(1e-3));
  CHECK(kept("cpu-epyc-7742") == Approx(1));

  const Device t4 = devices.find("t4");
  const double clock = std::sqrt(45 / (8100.0 / 70));
  CHECK(issue_rate_ginstr_s(t4) == Approx(40 * 128 * 1.590 * clock).epsilon(1e-3));
  // A second instruction in one clock of three.
  CHECK(issue_rate_ginstr_s(devices.find("p100-pcie")) == Approx(56 * 64 * 1.303 * 4 / 3).epsilon(1e-3));
  CHECK(*sustained_device(t4).peak_fp16_tensor_gflops ==
        Approx(*t4.peak_fp16_tensor_gflops * clock).epsilon(1e-3));
}
