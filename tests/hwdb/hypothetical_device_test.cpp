#include "hwdb/hypothetical_device.h"

#include <catch2/catch.hpp>
#include <vector>

#include "hwdb/device_db.h"
#include "sim/core/error.h"

using namespace layersim;
using Catch::Matchers::Contains;

namespace {

Device v100(const std::vector<DeviceChange>& changes) {
  return hypothetical_device(DeviceDb().find("v100-sxm2"), changes);
}

}  // namespace

TEST_CASE("a changed number, and the name that tells it") {
  const Device device = v100({{"memory_bandwidth_gb_s", 1800}, {"memory_gib", 64}});
  CHECK(device.memory_bandwidth_gb_s == 1800);
  CHECK(device.memory_gib == 64);
  CHECK(device.peak_fp32_gflops == 15700);
  CHECK(device.key == "v100-sxm2");
  CHECK(device.display_name == "Tesla V100 SXM2 16GB with memory_bandwidth_gb_s=1800, memory_gib=64");
  CHECK(v100({}).display_name == "Tesla V100 SXM2 16GB");
}

TEST_CASE("what follows from a changed number follows") {
  const Device twice = v100({{"cores", 10240}});
  CHECK(twice.multiprocessors == 160);
  CHECK(twice.peak_fp32_gflops == 31400);
  CHECK(twice.peak_fp16_tensor_gflops.value() == 250000);
  CHECK_FALSE(twice.peak_bf16_tensor_gflops.has_value());
  const Device faster = v100({{"multiprocessors", 160}, {"clock_peak_mhz", 765}, {"peak_fp64_gflops", 1}});
  CHECK(faster.cores == 10240);
  CHECK(faster.peak_fp32_gflops == 15700);
  CHECK(faster.peak_fp64_gflops.value() == 1);
  CHECK(v100({{"memory_bus_width_bits", 8192}}).memory_bandwidth_gb_s == 1800);
}

TEST_CASE("changes that make no device are refused") {
  const DeviceChange change = parse_device_change("--set", "tdp_w=250");
  CHECK(change.key == "tdp_w");
  CHECK(change.value == 250);
  for (const char* text : {"tdp_w", "=5", "tdp_w=", "tdp_w=much", "tdp_w=-1", ""}) {
    INFO(text);
    CHECK_THROWS_WITH(parse_device_change("--set", text), Contains("--set"));
  }
  CHECK_THROWS_WITH(v100({{"memory_bandwidth", 5}}), Contains("the nearest is memory_bandwidth_gb_s"));
  CHECK_THROWS_WITH(v100({{"memory_bandwidth_gb_s", 1e9}}),
                    Contains("memory_bandwidth_gb_s must be from 1 to 1e+06"));
}
