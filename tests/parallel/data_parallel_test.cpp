#include "sim/parallel/data_parallel.h"

#include <catch2/catch.hpp>

#include "hwdb/device_db.h"
#include "tests/network_from_text.h"

using namespace layersim;

namespace {

constexpr double kMib = 1024 * 1024;

Cluster pair_of_devices() {
  Interconnect link;
  link.bandwidth_gb_s = 1;
  return {.devices = 2, .hosts = 1, .inside = link, .between = {}};
}

// A layer a number of parameters, in the order of the forward pass; each takes 1 ms backward.
struct Chain {
  Network network;
  std::vector<LayerPrediction> layers;
};
Chain chain(const std::vector<double>& params) {
  Chain result;
  for (const double count : params) {
    Layer layer;
    layer.params = count;
    result.network.layers.push_back(layer);
    result.network.params += count;
    LayerPrediction time;
    time.backward_ms = 1;
    result.layers.push_back(time);
  }
  return result;
}

}  // namespace

TEST_CASE("buckets fill from the last layer on: the first holds 1 MiB, the others 25 MiB") {
  const Device device = DeviceDb().find("k80");
  const Conditions conditions{.device = &device};
  const double mib = kMib / 4;  // parameters
  const Chain net = chain({3 * mib, 20 * mib, 0, 10 * mib, 0.5 * mib, 0.25 * mib, 0.5 * mib});
  const auto buckets = gradient_buckets(net.network, net.layers, conditions);
  REQUIRE(buckets.size() == 3);
  CHECK(buckets[0].bytes == Approx(1.25 * kMib));
  CHECK(buckets[0].ready_ms == Approx(3));
  CHECK(buckets[1].bytes == Approx(30 * kMib));
  CHECK(buckets[1].ready_ms == Approx(6));
  CHECK(buckets[2].bytes == Approx(3 * kMib));
  CHECK(buckets[2].ready_ms == Approx(7));
  double bytes = 0;
  for (const GradientBucket& bucket : buckets) bytes += bucket.bytes;
  CHECK(bytes == Approx(net.network.params * 4));
}

TEST_CASE("frozen layers send nothing, and mixed precision sends fp32") {
  const Device device = DeviceDb().find("v100-sxm2");
  Conditions conditions{.device = &device};
  conditions.precision = Precision::mixed;
  Chain net = chain({1000, 1000});
  net.network.layers[0].frozen_params = 1000;
  const auto buckets = gradient_buckets(net.network, net.layers, conditions);
  REQUIRE(buckets.size() == 1);
  CHECK(buckets[0].bytes == Approx(4000));
  CHECK(buckets[0].ready_ms == Approx(1));
}

TEST_CASE("the exchange hides behind the backward pass as far as it can") {
  const Cluster cluster = pair_of_devices();  // S bytes take S / 1e6 ms
  // Ready in time, short: only the last bucket shows.
  const std::vector<GradientBucket> small{{1e6, 2}, {1e6, 6}, {1e6, 10}};
  const GradientExchange hidden = overlapped_exchange(small, 10, cluster);
  CHECK(hidden.busy_ms == Approx(3));
  CHECK(hidden.exposed_ms == Approx(1));
  // Longer than the backward pass: the interconnect is busy from the first bucket on.
  const std::vector<GradientBucket> large{{8e6, 2}, {8e6, 6}, {8e6, 10}};
  const GradientExchange shown = overlapped_exchange(large, 10, cluster);
  CHECK(shown.busy_ms == Approx(24));
  CHECK(shown.exposed_ms == Approx(2 + 24 - 10));
  // The last gradients may be ready before the backward pass ends.
  const std::vector<GradientBucket> early{{1e6, 2}};
  CHECK(overlapped_exchange(early, 10, cluster).exposed_ms == 0);
}
