#include "sim/parallel/collective.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace layersim {
namespace {

constexpr double kMsPerUs = 1e-3;
constexpr double kBytesPerMs = 1e6;  // at 1 GB/s

// GB/s of the slowest link.
double slowest_gb_s(const Cluster& cluster) {
  double least = std::numeric_limits<double>::infinity();
  for (const auto* link : {&cluster.inside, &cluster.between}) {
    if (*link) least = std::min(least, (*link)->effective_gb_s());
  }
  return least;
}

double start_ms(const Cluster& cluster) {
  double most_us = 0;
  for (const auto* link : {&cluster.inside, &cluster.between}) {
    if (*link) most_us = std::max(most_us, (*link)->start_latency_us);
  }
  return most_us * kMsPerUs;
}

double step_us(const std::optional<Interconnect>& link) { return link ? link->step_latency_us : 0; }

// Once around all devices but for one step: as many steps as devices, one of each host's to the next host.
double ring_latency_ms(const Cluster& cluster) {
  const double steps = cluster.devices - 1;
  const double between = cluster.hosts > 1 ? steps * cluster.hosts / cluster.devices : 0;
  return ((steps - between) * step_us(cluster.inside) + between * step_us(cluster.between)) * kMsPerUs;
}

}  // namespace

double ring_all_reduce_ms(const Cluster& cluster, double bytes) {
  if (cluster.devices <= 1) return 0;
  const double n = cluster.devices;
  return start_ms(cluster) + 2 * ring_latency_ms(cluster) +
         2 * (n - 1) / n * bytes / (slowest_gb_s(cluster) * kBytesPerMs);
}

double tree_all_reduce_ms(const Cluster& cluster, double bytes) {
  if (cluster.devices <= 1) return 0;
  const double inside_us = (cluster.devices_per_host() - 1) * step_us(cluster.inside);
  const double between_us = std::ceil(std::log2(cluster.hosts)) * step_us(cluster.between);
  return start_ms(cluster) + 2 * (inside_us + between_us) * kMsPerUs +
         2 * bytes / (slowest_gb_s(cluster) * kBytesPerMs);
}

double all_reduce_ms(const Cluster& cluster, double bytes) {
  return std::min(ring_all_reduce_ms(cluster, bytes), tree_all_reduce_ms(cluster, bytes));
}

double broadcast_ms(const Cluster& cluster, double bytes) {
  if (cluster.devices <= 1) return 0;
  return start_ms(cluster) + ring_latency_ms(cluster) + bytes / (slowest_gb_s(cluster) * kBytesPerMs);
}

double send_to_next_ms(const Cluster& cluster, int rank, double bytes) {
  const bool leaves_host = (rank + 1) % cluster.devices_per_host() == 0;
  const Interconnect& link = leaves_host ? cluster.between.value() : cluster.inside.value();
  // A sender uses one adapter, whatever its host has.
  const double gb_s = link.bandwidth_gb_s * link.efficiency;
  return link.step_latency_us * kMsPerUs + bytes / (gb_s * kBytesPerMs);
}

}  // namespace layersim
