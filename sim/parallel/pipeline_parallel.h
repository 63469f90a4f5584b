#pragma once
// Pipeline parallelism: each device has a run of consecutive layers, a stage; the batch goes through in
// micro-batches. With p stages and m micro-batches (Huang et al. 2019, GPipe; schedules that interleave
// forward and backward passes take the same time and less memory):
//
//   step = sum over the stages of their time for a micro-batch + (m - 1) x that of the slowest stage
//          + one activation and one gradient across each cut

#include <span>
#include <vector>

#include "sim/parallel/collective.h"
#include "sim/timing/network_time.h"

namespace layersim {

struct PipelineStage {
  std::size_t first_layer = 0;  // up to the next stage's first
  double forward_ms = 0;        // of a micro-batch, as the following
  double backward_ms = 0;
  double optimizer_ms = 0;
  double sent_bytes = 0;  // forward, to the next stage; 0 of the last
  double params = 0;

  [[nodiscard]] double pass_ms() const { return forward_ms + backward_ms; }
};

// Cuts the layers so that the slowest stage is as fast as it can be. `time` and `network` at the micro-batch.
// Throws bad_use where there are fewer layers than stages.
[[nodiscard]] std::vector<PipelineStage> cut_into_stages(const Network& network, const NetworkTime& time,
                                                         int stages);

struct PipelineTime {
  PipelineStage slowest;
  double communication_ms = 0;
  double bubble_ms = 0;  // the slowest stage waits for the others, however many micro-batches there are
};
[[nodiscard]] PipelineTime pipeline_time(std::span<const PipelineStage> stages, bool training,
                                         const Cluster& cluster);

}  // namespace layersim
