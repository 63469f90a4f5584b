#pragma once
// Time of collectives among the devices of a cluster. S bytes a device, N devices, G of them in each of H
// hosts; B: what moves from a neighbour to the next, of the slowest link on the way; a: latency of a step.
//
//   ring   2 (N - 1) / N x S / B + 2 (N - 1) x a     steps within a host and between hosts have their own a
//   tree   2 S / B + 2 (G - 1) x a_inside + 2 log2(H) x a_between     a chain in each host, pipelined
//
// (Thakur et al. 2005, Optimization of collective communication operations in MPICH; Sanders et al. 2009,
// Two-tree algorithms for full bandwidth broadcast, reduction and scan). Libraries take the faster.

#include "sim/parallel/cluster.h"

namespace layersim {

[[nodiscard]] double ring_all_reduce_ms(const Cluster& cluster, double bytes);
[[nodiscard]] double tree_all_reduce_ms(const Cluster& cluster, double bytes);
// The faster of the two; 0 for one device.
[[nodiscard]] double all_reduce_ms(const Cluster& cluster, double bytes);

// From one device to all others, or the sums of all to one: bytes / B, pipelined through a chain.
[[nodiscard]] double broadcast_ms(const Cluster& cluster, double bytes);

// From device `rank` to device `rank` + 1, hosts filled one after the other.
[[nodiscard]] double send_to_next_ms(const Cluster& cluster, int rank, double bytes);

}  // namespace layersim
