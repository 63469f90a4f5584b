#include "sim/parallel/collective.h"

#include <catch2/catch.hpp>

#include "hwdb/device_db.h"
#include "sim/core/error.h"

using namespace layersim;
using Catch::Matchers::Contains;

namespace {

Interconnect link(InterconnectScope scope, double gb_s, double step_us, double adapters = 1) {
  Interconnect result;
  result.key = scope == InterconnectScope::host ? "inside" : "between";
  result.scope = scope;
  result.bandwidth_gb_s = gb_s;
  result.adapters_per_host = adapters;
  result.efficiency = 0.5;
  result.start_latency_us = 10;
  result.step_latency_us = step_us;
  return result;
}

Cluster cluster(int devices, int hosts, double adapters = 1) {
  Cluster result{.devices = devices, .hosts = hosts, .inside = {}, .between = {}};
  if (devices > hosts) result.inside = link(InterconnectScope::host, 20, 1);
  if (hosts > 1) result.between = link(InterconnectScope::network, 4, 5, adapters);
  return result;
}

}  // namespace

TEST_CASE("an all-reduce in one host follows the formulas") {
  // 100 MB over 20 x 0.5 GB/s.
  CHECK(ring_all_reduce_ms(cluster(4, 1), 1e8) == Approx(0.01 + 2 * 3 * 0.001 + 1.5 * 10));
  CHECK(tree_all_reduce_ms(cluster(4, 1), 1e8) == Approx(0.01 + 2 * 3 * 0.001 + 2 * 10));
  CHECK(broadcast_ms(cluster(4, 1), 1e8) == Approx(0.01 + 3 * 0.001 + 10));
  CHECK(all_reduce_ms(cluster(1, 1), 1e8) == 0);
}

TEST_CASE("between hosts the slower link decides, and its steps cost more") {
  // Ring of 8 on 2 hosts: of 7 steps 7 x 2 / 8 leave a host.
  CHECK(ring_all_reduce_ms(cluster(8, 2), 1e8) ==
        Approx(0.01 + 2 * (5.25 * 0.001 + 1.75 * 0.005) + 1.75 * 50));
  CHECK(ring_all_reduce_ms(cluster(8, 2, 4), 1e8) ==
        Approx(0.01 + 2 * (5.25 * 0.001 + 1.75 * 0.005) + 1.75 * 12.5));
  // With so many adapters that the hosts' own link is the slowest.
  CHECK(ring_all_reduce_ms(cluster(8, 2, 8), 1e8) ==
        Approx(0.01 + 2 * (5.25 * 0.001 + 1.75 * 0.005) + 1.75 * 10));
}

TEST_CASE("the tree is taken for small messages on many hosts, the ring for large ones") {
  const Cluster many = cluster(1024, 128);
  CHECK(all_reduce_ms(many, 1e3) == tree_all_reduce_ms(many, 1e3));
  CHECK(tree_all_reduce_ms(many, 1e3) < ring_all_reduce_ms(many, 1e3));
  CHECK(all_reduce_ms(cluster(8, 1), 1e9) == ring_all_reduce_ms(cluster(8, 1), 1e9));
}

TEST_CASE("an all-reduce never gets faster with more bytes or more devices") {
  double last_ms = 0;
  for (int devices = 1; devices <= 4096; devices *= 2) {
    const double ms = all_reduce_ms(cluster(devices, std::max(devices / 8, 1)), 1e7);
    CHECK(ms >= last_ms);
    last_ms = ms;
  }
  for (double bytes = 1; bytes < 1e10; bytes *= 3) {
    CHECK(all_reduce_ms(cluster(16, 2), 3 * bytes) > all_reduce_ms(cluster(16, 2), bytes));
  }
}

TEST_CASE("a stage's activation goes through one adapter, or within the host") {
  const Cluster two_hosts = cluster(4, 2, 8);
  CHECK(send_to_next_ms(two_hosts, 0, 1e8) == Approx(0.001 + 10));
  CHECK(send_to_next_ms(two_hosts, 1, 1e8) == Approx(0.005 + 50));
}

TEST_CASE("a cluster's links follow from the device and from what is named") {
  const Device device = DeviceDb().find("v100-sxm2");
  const auto text = [&](int devices, int hosts, const std::string& names) {
    return interconnect_text(
        make_cluster({.devices = devices, .hosts = hosts, .interconnects = names}, device));
  };
  CHECK(text(1, 1, "").empty());
  CHECK(text(8, 1, "") == "nvlink2");
  CHECK(text(8, 1, "pcie3-x16") == "pcie3-x16");
  CHECK(text(16, 2, "") == "nvlink2, between hosts infiniband-hdr");
  CHECK(text(16, 2, "ethernet-25,pcie3-x16-host") == "pcie3-x16-host, between hosts ethernet-25");
  CHECK(text(2, 2, "") == "between hosts infiniband-hdr");
  CHECK_THROWS_WITH(text(8, 3, ""), Contains("8 GPUs do not divide evenly among 3 hosts"));
  CHECK_THROWS_WITH(text(8, 1, "ethernet-25"), Contains("--nodes"));
  CHECK_THROWS_WITH(text(2, 2, "nvlink2"), Contains("each has one"));
  CHECK_THROWS_WITH(text(8, 1, "nvlink2,pcie3-x16"), Contains("nvlink2 and pcie3-x16, both within a host"));
  CHECK_THROWS_WITH(text(8, 1, "wet-string"), Contains("no interconnect 'wet-string'"));
}
