#include "sim/parallel/data_parallel.h"

#include <algorithm>

#include "sim/features/network_queries.h"
#include "sim/predictors/step_parts.h"

namespace layersim {
namespace {

constexpr double kMib = 1024.0 * 1024.0;
constexpr double kFirstBucketBytes = 1 * kMib;
constexpr double kBucketBytes = 25 * kMib;

// DataParallel: the one process starts a thread a device in each pass; the threads share Python's lock while
// they copy modules and start kernels; backward, each further device's gradients are gathered one by one.
// Fitted to the measured fp32 rows of RTX 2080 Ti (docs/accuracy.md); those of other cards were kept out.
constexpr double kThreadsStartMs = 12;
constexpr double kReplicaForwardMs = 0.06;    // a kernel of the forward pass and device
constexpr double kReplicaBackwardMs = 0.035;  // a kernel of the forward pass and device but the first

double tensor_bytes(const Graph& graph, std::span<const ValueId> values) {
  double sum = 0;
  for (const ValueId id : values) {
    const Tensor& tensor = graph.value(id).tensor;
    if (tensor.shape && is_known(*tensor.shape))
      sum += static_cast<double>(element_count(*tensor.shape)) * bytes(tensor.dtype);
  }
  return sum;
}

double trained_bytes(const Layer& layer, const Conditions& conditions) {
  return (layer.params - layer.frozen_params) * bytes(stored_dtype(conditions.precision));
}

}  // namespace

std::vector<GradientBucket> gradient_buckets(const Network& network, std::span<const LayerPrediction> layers,
                                             const Conditions& conditions) {
  std::vector<GradientBucket> buckets;
  GradientBucket open;
  double now_ms = 0;
  for (std::size_t i = layers.size(); i-- > 0;) {
    now_ms += layers[i].backward_ms;
    const double bytes = trained_bytes(network.layers[i], conditions);
    if (bytes <= 0) continue;
    open.bytes += bytes;
    open.ready_ms = now_ms;
    open.last_layer = i;
    if (open.bytes < (buckets.empty() ? kFirstBucketBytes : kBucketBytes)) continue;
    buckets.push_back(open);
    open = {};
  }
  if (open.bytes > 0) buckets.push_back(open);
  return buckets;
}

GradientExchange overlapped_exchange(std::span<const GradientBucket> buckets, double backward_ms,
                                     const Cluster& cluster) {
  GradientExchange exchange;
  double free_ms = 0;
  for (const GradientBucket& bucket : buckets) {
    const double ms = all_reduce_ms(cluster, bucket.bytes);
    free_ms = std::max(free_ms, bucket.ready_ms) + ms;
    exchange.busy_ms += ms;
  }
  exchange.exposed_ms = std::max(free_ms - backward_ms, 0.0);
  return exchange;
}

ReplicationCost replication_cost(const Network& network, const NetworkTime& time,
                                 const Conditions& conditions, const Cluster& cluster) {
  Conditions forward = conditions;
  forward.mode = Mode::forward;
  double kernels = 0;
  double gradient_bytes = 0;
  const std::vector<LayerQuery> queries = make_queries(network);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    kernels += count_kernels(queries[i], forward) * time.repeats[i];
    gradient_bytes += trained_bytes(network.layers[i], conditions);
  }
  ReplicationCost cost;
  const double forward_ms = kThreadsStartMs + cluster.devices * kernels * kReplicaForwardMs;
  cost.host_ms = std::max(forward_ms - time.step.forward_ms - time.step.overhead_ms, 0.0);
  cost.copy_ms = broadcast_ms(cluster, network.weight_bytes);
  if (conditions.mode == Mode::training) {
    cost.host_ms += (cluster.devices - 1) * kernels * kReplicaBackwardMs;
    cost.copy_ms += broadcast_ms(cluster, gradient_bytes);
  }
  // The first device sends every other its share of the inputs and takes their outputs, one after the other.
  const double shares =
      tensor_bytes(network.graph, network.graph.inputs) + tensor_bytes(network.graph, network.graph.outputs);
  for (int rank = 1; rank < cluster.devices; ++rank) cost.copy_ms += send_to_next_ms(cluster, 0, shares);
  return cost;
}

}  // namespace layersim
