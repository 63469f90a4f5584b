#pragma once
// The one way from a network to the time of a batch on any number of devices: `predict` and `validate` both
// go it.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "sim/parallel/cluster.h"
#include "sim/parallel/data_parallel.h"
#include "sim/predictors/predictor.h"
#include "sim/timing/memory.h"
#include "sim/timing/network_time.h"

namespace layersim {

enum class Parallelism : unsigned char {
  ddp,  // data parallel, gradients summed while the backward pass runs (DistributedDataParallel)
  dp,   // data parallel from one process (DataParallel), within one host
  tp,   // tensor parallel: dense layers cut
  pp    // pipeline parallel: runs of layers
};
[[nodiscard]] std::span<const std::string_view> parallelism_names();
[[nodiscard]] std::string_view name(Parallelism parallelism);
[[nodiscard]] std::optional<Parallelism> parse_parallelism(std::string_view name);

struct ParallelPlan {
  Parallelism kind = Parallelism::ddp;
  Cluster cluster;
  std::int64_t micro_batches = 1;  // pp only
};

// What a user says of it.
struct ParallelOptions {
  ClusterOptions cluster;
  Parallelism kind = Parallelism::ddp;
  std::optional<std::int64_t> micro_batches;  // nothing: kMicroBatchesPerStage a device, or one a sample
};
// GPipe's authors found the bubble small from four micro-batches a stage on (Huang et al. 2019).
inline constexpr std::int64_t kMicroBatchesPerStage = 4;

// `batch`: over all devices together. Throws bad_use where the parts contradict each other.
[[nodiscard]] ParallelPlan make_plan(const ParallelOptions& options, const Device& device,
                                     std::int64_t batch);

// Into how many parts the plan divides a batch: devices, micro-batches or 1.
[[nodiscard]] std::int64_t batch_parts(const ParallelPlan& plan);

// At which batch to take the network apart, for `batch` samples over all devices together: the largest share
// of a device, or a micro-batch. Throws bad_use where the batch has too few samples for the plan.
[[nodiscard]] std::int64_t batch_of_device(const ParallelPlan& plan, std::int64_t batch);

struct ParallelStep {
  NetworkTime time;  // layers: of one device, or, in a pipeline, of a micro-batch through all stages
  Memory memory;     // of one device, that which needs most
  double interconnect_busy_ms = 0;      // of it, step.communication_ms are not hidden by other work
  std::vector<GradientBucket> buckets;  // of ddp in training, in the order in which they are exchanged
};

// What ddp adds to a step in which a device works on its share of the batch. `conditions` are those of the
// step; nothing is added in forward mode.
void exchange_gradients(ParallelStep& step, const Network& network, const Conditions& conditions,
                        const Cluster& cluster);

// `network` at batch_of_device. Throws bad_use where the plan does not fit the network.
[[nodiscard]] ParallelStep parallel_step(const Network& network, const Conditions& conditions,
                                         const Predictor& predictor, const ParallelPlan& plan,
                                         Warnings& warnings);

}  // namespace layersim
