#include "sim/parallel/parallel_step.h"

#include <algorithm>
#include <array>

#include "sim/core/error.h"
#include "sim/parallel/pipeline_parallel.h"
#include "sim/parallel/tensor_parallel.h"

namespace layersim {
namespace {

constexpr std::array<std::string_view, 4> kNames{"ddp", "dp", "tp", "pp"};

// What comes on top of the layers' times is taken as known.
void add_to_interval(StepTime& step, double ms) {
  if (!step.interval_ms) return;
  step.interval_ms->low += ms;
  step.interval_ms->high += ms;
}

ParallelStep one_device(const Network& network, const Conditions& conditions, const Predictor& predictor,
                        Warnings& warnings) {
  ParallelStep result;
  result.time = network_time(network, conditions, predictor, warnings);
  result.memory = memory_need(network, result.time.repeats, conditions);
  return result;
}

void replicate(ParallelStep& result, const Network& network, const Conditions& conditions,
               const Cluster& cluster) {
  if (cluster.hosts > 1) throw bad_use("--parallel dp is one process, which reaches the devices of one host");
  StepTime& step = result.time.step;
  const ReplicationCost cost = replication_cost(network, result.time, conditions, cluster);
  step.communication_ms = cost.copy_ms;
  step.overhead_ms += cost.host_ms;
  result.interconnect_busy_ms = cost.copy_ms;
  add_to_interval(step, cost.copy_ms + cost.host_ms);
}

ParallelStep cut_layers(const Network& network, const Conditions& conditions, const Predictor& predictor,
                        const Cluster& cluster, Warnings& warnings) {
  const TensorParallelShare share = share_network(network, cluster.devices);
  ParallelStep result = one_device(share.network, conditions, predictor, warnings);
  StepTime& step = result.time.step;
  for (const double bytes : share.forward_bytes) step.communication_ms += all_reduce_ms(cluster, bytes);
  if (conditions.mode == Mode::training) {
    for (const double bytes : share.backward_bytes) step.communication_ms += all_reduce_ms(cluster, bytes);
  }
  result.interconnect_busy_ms = step.communication_ms;
  add_to_interval(step, step.communication_ms);
  return result;
}

// The plain model of its memory: weights of the stage that has most of them, and its share of the activations
// of as many micro-batches as are under way at once.
Memory stage_memory(const Memory& whole, const std::vector<PipelineStage>& stages, const Network& network,
                    std::int64_t micro_batches) {
  double most_params = 0;
  for (const PipelineStage& stage : stages) most_params = std::max(most_params, stage.params);
  const double share = network.params > 0 ? most_params / network.params : 1;
  const auto count = static_cast<double>(stages.size());
  Memory memory = whole;
  memory.weights_bytes *= share;
  memory.gradients_bytes *= share;
  memory.optimizer_bytes *= share;
  memory.activations_bytes *= std::min(count, static_cast<double>(micro_batches)) / count;
  return memory;
}

ParallelStep pipeline(const Network& network, const Conditions& conditions, const Predictor& predictor,
                      const ParallelPlan& plan, Warnings& warnings) {
  ParallelStep result = one_device(network, conditions, predictor, warnings);
  StepTime& step = result.time.step;
  const auto stages = cut_into_stages(network, result.time, plan.cluster.devices);
  const PipelineTime time = pipeline_time(stages, conditions.mode == Mode::training, plan.cluster);
  const auto micro_batches = static_cast<double>(plan.micro_batches);
  const double before_ms = step.batch_ms();
  const double stage_share = 1.0 / static_cast<double>(stages.size());
  step.forward_ms = micro_batches * time.slowest.forward_ms;
  step.backward_ms = micro_batches * time.slowest.backward_ms;
  step.optimizer_ms = time.slowest.optimizer_ms;
  // The host of each stage prepares its share of the kernels of every micro-batch.
  step.overhead_ms *= 1 + (micro_batches - 1) * stage_share;
  step.bubble_ms = time.bubble_ms;
  step.communication_ms = time.communication_ms;
  if (step.interval_ms) {
    const double work_ms = step.batch_ms() - step.communication_ms;
    step.interval_ms->low *= work_ms / before_ms;
    step.interval_ms->high *= work_ms / before_ms;
    add_to_interval(step, step.communication_ms);
  }
  result.interconnect_busy_ms = micro_batches * time.communication_ms;
  result.memory = stage_memory(result.memory, stages, network, plan.micro_batches);
  return result;
}

}  // namespace

void exchange_gradients(ParallelStep& result, const Network& network, const Conditions& conditions,
                        const Cluster& cluster) {
  if (conditions.mode == Mode::forward) return;  // each device works for itself
  StepTime& step = result.time.step;
  result.buckets = gradient_buckets(network, result.time.layers, conditions);
  const GradientExchange exchange = overlapped_exchange(result.buckets, step.backward_ms, cluster);
  step.communication_ms = exchange.exposed_ms;
  result.interconnect_busy_ms = exchange.busy_ms;
  // The buckets are a copy of the gradients (gradient_as_bucket_view is off unless asked for).
  for (const GradientBucket& bucket : result.buckets) result.memory.gradients_bytes += bucket.bytes;
  add_to_interval(step, step.communication_ms);
}

std::span<const std::string_view> parallelism_names() { return kNames; }

std::string_view name(Parallelism parallelism) { return kNames.at(static_cast<std::size_t>(parallelism)); }

std::optional<Parallelism> parse_parallelism(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Parallelism>(found - kNames.begin());
}

ParallelPlan make_plan(const ParallelOptions& options, const Device& device, std::int64_t batch) {
  ParallelPlan plan{
      .kind = options.kind, .cluster = make_cluster(options.cluster, device), .micro_batches = 1};
  const bool is_pipeline = plan.kind == Parallelism::pp && plan.cluster.devices > 1;
  if (options.micro_batches && !is_pipeline) {
    throw bad_use("--micro-batches is for a pipeline: --parallel pp on several GPUs");
  }
  if (is_pipeline) {
    plan.micro_batches =
        options.micro_batches.value_or(std::min(batch, kMicroBatchesPerStage * plan.cluster.devices));
  }
  return plan;
}

std::int64_t batch_parts(const ParallelPlan& plan) {
  switch (plan.kind) {
    case Parallelism::ddp:
    case Parallelism::dp:
      return plan.cluster.devices;
    case Parallelism::pp:
      return plan.micro_batches;
    case Parallelism::tp:
      break;
  }
  return 1;
}

std::int64_t batch_of_device(const ParallelPlan& plan, std::int64_t batch) {
  const std::int64_t parts = batch_parts(plan);
  if (batch < parts) {
    throw bad_use("a batch of " + std::to_string(batch) + " has less than one sample for each of " +
                  std::to_string(parts) + (plan.kind == Parallelism::pp ? " micro-batches" : " GPUs") +
                  ": it counts over all GPUs");
  }
  return (batch + parts - 1) / parts;
}

ParallelStep parallel_step(const Network& network, const Conditions& conditions, const Predictor& predictor,
                           const ParallelPlan& plan, Warnings& warnings) {
  if (plan.cluster.devices > 1 && plan.kind == Parallelism::tp)
    return cut_layers(network, conditions, predictor, plan.cluster, warnings);
  if (plan.cluster.devices > 1 && plan.kind == Parallelism::pp)
    return pipeline(network, conditions, predictor, plan, warnings);
  ParallelStep result = one_device(network, conditions, predictor, warnings);
  if (plan.cluster.devices == 1) return result;
  if (plan.kind == Parallelism::ddp) {
    exchange_gradients(result, network, conditions, plan.cluster);
  } else {
    replicate(result, network, conditions, plan.cluster);
  }
  return result;
}

}  // namespace layersim
