#include "sim/features/transferable_features.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "hwdb/device_db.h"

using namespace layersim;

namespace {

float matrix_rate(const Device& device, Precision precision) {
  return transferable_features({.device = &device, .precision = precision}).at(1);
}

}  // namespace

TEST_CASE("power excess is what a card's watts cannot hold, against its own generation") {
  const DeviceDb gpus;
  CHECK(power_excess(gpus.find("t4")) == Approx(std::log(8100.0 / 70 / 45)).margin(0.02));
  CHECK(power_excess(gpus.find("l4")) > 0.8);
  CHECK(power_excess(gpus.find("v100-sxm2")) == 0);
  Device device = gpus.find("t4");
  device.tdp_w *= 100;
  CHECK(power_excess(device) == 0);
  device = gpus.find("t4");
  device.technology = "of tomorrow";
  CHECK(power_excess(device) == 0);
  device = gpus.find("t4");
  device.tdp_w = 0;
  CHECK(power_excess(device) == 0);
}

TEST_CASE("what carries over does not tell one card of a generation from the next by its sizes") {
  const DeviceDb gpus;
  Device device = gpus.find("k80");
  const auto factors = device_factors(device, Precision::fp32);
  const auto features = transferable_features({.device = &device});
  REQUIRE(factors.size() == device_factor_specs().size());
  REQUIRE(features.size() == transferable_feature_specs().size());
  device.memory_gib *= 4;
  device.nvlink_gb_s = 300;
  device.l2_cache_mib = 96;
  device.multiprocessors *= 2;
  device.cores *= 2;
  CHECK(device_factors(device, Precision::fp32) == factors);
  CHECK(transferable_features({.device = &device}) == features);
  CHECK(device_factors(gpus.find("m60"), Precision::fp32) != factors);
}

TEST_CASE("lanes share the instructions that start with address and loop arithmetic") {
  const DeviceDb gpus;
  const auto limit = [&](const char* gpu, Precision precision) {
    return issue_limit(gpus.find(gpu), precision);
  };
  CHECK(limit("k80", Precision::fp32) == Approx(std::log(1.36 * 192 / 128)));
  CHECK(limit("k80", Precision::fp16) == Approx(std::log(1.36 * 192 / 128)));
  // Maxwell and Pascal start a second instruction in one clock of three, GP100 too.
  CHECK(limit("m60", Precision::fp32) == Approx(std::log(1.36 * 3 / 4)));
  CHECK(limit("p100-pcie", Precision::fp32) == Approx(std::log(1.36 * 3 / 4)));
  CHECK(limit("rtx3090", Precision::fp32) == Approx(std::log(1.36)));
  CHECK(limit("l4", Precision::fp32) == Approx(std::log(1.36)));
  CHECK(limit("l4", Precision::fp16) == 0);
  CHECK(limit("h100-sxm", Precision::fp32) == Approx(std::log(1.36)));
  CHECK(limit("h100-sxm", Precision::tf32) == 0);
  CHECK(limit("mi210", Precision::fp32) == Approx(std::log(1.36)));
  CHECK(limit("mi210", Precision::fp16) == 0);
  for (const char* with_integer_lanes : {"v100-sxm2", "t4", "a100-sxm4-40gb"})
    CHECK(limit(with_integer_lanes, Precision::fp32) == 0);
  CHECK(limit("cpu-epyc-7742", Precision::fp32) == 0);
}

TEST_CASE("the rate of matrix units is that of the precision") {
  const DeviceDb gpus;
  CHECK(matrix_rate(gpus.find("gtx1080ti"), Precision::fp16) == Approx(0).margin(1e-5));
  CHECK(matrix_rate(gpus.find("v100-sxm2"), Precision::fp32) == Approx(0).margin(1e-5));
  CHECK(matrix_rate(gpus.find("v100-sxm2"), Precision::fp16) == Approx(std::log(8)).margin(0.05));
}
