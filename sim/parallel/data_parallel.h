#pragma once
// Data parallel training: each device has the whole network and its share of the batch; gradients are summed
// over all devices in every step.
//
// DistributedDataParallel gathers gradients in buckets in the order in which the backward pass makes them,
// and sums a bucket as soon as it is full while the backward pass goes on (Li et al. 2020, PyTorch
// Distributed, VLDB; the first bucket holds 1 MiB, all others 25 MiB).
//
// DataParallel is its older sibling: one process copies the weights to all devices in every pass, starts
// their kernels from threads that share Python's lock, and sums gradients on the first device.

#include <span>
#include <vector>

#include "sim/parallel/collective.h"
#include "sim/timing/network_time.h"

namespace layersim {

struct GradientBucket {
  double bytes = 0;
  double ready_ms = 0;         // after the start of the backward pass
  std::size_t last_layer = 0;  // the one that fills it
};

// In the order in which the backward pass fills them. `layers` as network_time gives them.
[[nodiscard]] std::vector<GradientBucket> gradient_buckets(const Network& network,
                                                           std::span<const LayerPrediction> layers,
                                                           const Conditions& conditions);

struct GradientExchange {
  double busy_ms = 0;     // of the interconnect
  double exposed_ms = 0;  // after the end of the backward pass, which hides the rest
};
// One bucket after the other.
[[nodiscard]] GradientExchange overlapped_exchange(std::span<const GradientBucket> buckets,
                                                   double backward_ms, const Cluster& cluster);

// What a step of DataParallel takes beyond that of its share of the batch on one device.
struct ReplicationCost {
  double copy_ms = 0;  // weights out, inputs out, outputs back, gradients back
  double host_ms = 0;  // starting the kernels of all devices from one process, where the devices wait for it
};
// `network` at the share of the batch.
[[nodiscard]] ReplicationCost replication_cost(const Network& network, const NetworkTime& time,
                                               const Conditions& conditions, const Cluster& cluster);

}  // namespace layersim
