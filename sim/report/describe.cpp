#include "sim/report/describe.h"

#include <algorithm>
#include <cmath>

#include "sim/core/error.h"
#include "sim/features/roofline_time.h"
#include "sim/graph/batch_axis.h"

namespace layersim {
namespace {

constexpr double kMib = 1024.0 * 1024.0;

TensorReport describe_tensor(const Graph& graph, ValueId id) {
  const Value& value = graph.value(id);
  return {value.name, value.tensor.shape};
}

// 1 where no input has a batch axis.
std::int64_t batch_of(const Graph& graph) {
  const auto axes = find_batch_axes(graph);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto& shape = graph.value(graph.inputs[i]).tensor.shape;
    if (axes[i] && shape && *axes[i] < shape->size()) return std::max<std::int64_t>((*shape)[*axes[i]], 1);
  }
  return 1;
}

LayerReport describe_layer(const Graph& graph, const Layer& layer, double repeats) {
  LayerReport report;
  report.name = layer.name;
  report.op = layer.op;
  if (!layer.outputs.empty() && layer.outputs.front() != kNoValue) {
    report.output = graph.value(layer.outputs.front()).name;
  }
  if (layer.output_shape_known) report.output_shape = layer.output_shape;
  if (layer.fused) report.fused = {layer.fused->name, layer.fused->op};
  report.unmodelled_reason = layer.unmodelled_reason;
  report.params = layer.params;
  report.weight_bytes = layer.weight_bytes;
  report.repeats = repeats;
  report.macs = repeats * layer.work.forward.macs;
  report.flop = repeats * layer.work.forward.flop;
  report.bytes = repeats * layer.work.forward.bytes();
  const Problem& problem = layer.problem;
  if (problem.kind == nullptr) return report;
  report.kind = problem.kind->name;
  if (problem.activation != Activation::none) report.activation = name(problem.activation);
  report.parameters.reserve(problem.sizes.size());
  for (std::size_t i = 0; i < problem.sizes.size(); ++i) {
    report.parameters.emplace_back(problem.kind->parameters.at(i).name, problem.sizes[i]);
  }
  return report;
}

CoverageReport coverage_of(const std::vector<LayerReport>& layers) {
  CoverageReport coverage;
  double macs = 0;
  double bytes = 0;
  double modelled_macs = 0;
  double modelled_bytes = 0;
  for (const LayerReport& layer : layers) {
    const int count = layer.fused ? 2 : 1;
    coverage.layers += count;
    coverage.fused += count - 1;
    macs += layer.macs;
    bytes += layer.bytes;
    if (layer.time.inside_trained_range) coverage.inside_trained_range += count;
    if (layer.time.has_new_weights) ++coverage.new_weights;
    if (!layer.is_modelled()) continue;
    coverage.modelled += count;
    modelled_macs += layer.macs;
    modelled_bytes += layer.bytes;
  }
  if (macs > 0) coverage.macs_share = modelled_macs / macs;
  if (bytes > 0) coverage.bytes_share = modelled_bytes / bytes;
  return coverage;
}

std::string tight_memory_warning(const Memory& memory, const Device& device) {
  return "the step needs " + std::to_string(std::lround(100 * memory.total_bytes() / usable_bytes(device))) +
         " % of the memory: PyTorch may free and ask anew within it, which takes up to 1.7 times as long";
}

}  // namespace

Report describe_network(const Network& network, const std::string& file, std::optional<std::int64_t> batch) {
  Report report;
  const Graph& graph = network.graph;
  report.network.file = file;
  report.network.params = network.params;
  report.network.frozen_params = network.frozen_params;
  report.network.weight_bytes = network.weight_bytes;
  report.network.macs_min = network.macs_min;
  report.network.macs_max = network.macs_max;
  report.network.batch = batch.value_or(batch_of(graph));
  for (const ValueId input : graph.inputs) report.network.inputs.push_back(describe_tensor(graph, input));
  for (const ValueId output : graph.outputs) report.network.outputs.push_back(describe_tensor(graph, output));
  report.layers.reserve(network.layers.size());
  for (const Layer& layer : network.layers)
    report.layers.push_back(describe_layer(graph, layer, network.repeats(layer)));
  report.coverage = coverage_of(report.layers);
  report.warnings = network.warnings.all();
  return report;
}

void add_run(Report& report, std::span<const double> repeats, std::span<const LayerPrediction> times,
             const StepTime& step, const Memory& memory, const Conditions& conditions,
             const Predictor& predictor) {
  const bool any = std::any_of(times.begin(), times.end(),
                               [](const LayerPrediction& time) { return time.basis != Basis::none; });
  if (!any) {
    throw Error(
        ErrorKind::nothing_predicted,
        report.network.file + (times.empty() ? ": the network has no layers"
                                             : ": no layer has a model or known sizes: nothing to predict"));
  }
  for (std::size_t i = 0; i < report.layers.size(); ++i) {
    LayerReport& layer = report.layers[i];
    layer.time = times[i];
    if (!layer.kind.empty() && !layer.is_modelled()) {
      layer.unmodelled_reason = "the predictor has not learned this kind: its time is an estimate";
    }
    if (layer.repeats == repeats[i]) continue;
    layer.repeats = repeats[i];  // a branch that is not taken
    layer.macs = layer.flop = layer.bytes = 0;
  }
  report.coverage = coverage_of(report.layers);

  const Device& device = *conditions.device;
  RunReport& run = report.run.emplace();
  run.gpu = device.key;
  run.gpu_name = device.display_name;
  run.gpu_memory_gib = device.memory_gib;
  run.mode = conditions.mode;
  run.optimizer = conditions.optimizer;
  run.precision = conditions.precision;
  run.stack = conditions.stack;
  run.n_gpus = conditions.n_gpus;
  run.method = predictor.name();
  run.method_statement = predictor.statement();
  run.method_is_trained = predictor.is_trained();
  run.forward_ms = step.forward_ms;
  run.backward_ms = step.backward_ms;
  run.optimizer_ms = step.optimizer_ms;
  run.overhead_ms = step.overhead_ms;
  run.input_wait_ms = step.input_wait_ms;
  run.communication_ms = step.communication_ms;
  run.bubble_ms = step.bubble_ms;
  run.batch_ms = step.batch_ms();
  run.batch_interval_ms = step.interval_ms;
  run.memory.weights_mib = memory.weights_bytes / kMib;
  run.memory.gradients_mib = memory.gradients_bytes / kMib;
  run.memory.optimizer_mib = memory.optimizer_bytes / kMib;
  run.memory.activations_mib = memory.activations_bytes / kMib;
  run.memory.workspace_mib = memory.workspace_bytes / kMib;
  run.memory.context_mib = memory.context_bytes / kMib;
  run.memory.usable_mib = usable_bytes(device) / kMib;
  run.memory.fits = memory.total_bytes() <= usable_bytes(device);
  for (std::string& text : predictor.warnings(conditions)) report.warnings.push_back(std::move(text));
  if (is_tight(memory, conditions)) report.warnings.push_back(tight_memory_warning(memory, device));
}

void add_parallel(Report& report, const ParallelPlan& plan, const ParallelStep& step,
                  std::int64_t device_batch) {
  ParallelReport& parallel = report.run.value().parallel.emplace();
  parallel = {.kind = std::string(name(plan.kind)),
              .interconnect = interconnect_text(plan.cluster),
              .nodes = plan.cluster.hosts,
              .micro_batches = plan.micro_batches,
              .device_batch = device_batch,
              .interconnect_busy_ms = step.interconnect_busy_ms,
              .buckets = {}};
  for (const GradientBucket& bucket : step.buckets)
    parallel.buckets.push_back({.bytes = bucket.bytes, .last_layer = bucket.last_layer});
}

void add_bounds(Report& report, std::span<const LayerQuery> queries, const Conditions& conditions) {
  for (std::size_t i = 0; i < report.layers.size(); ++i) {
    if (report.layers[i].time.total_ms() > 0) report.layers[i].bound_by = bound_by(queries[i], conditions);
  }
}

void add_before(Report& report, const Report& before) {
  report.run.value().before = BeforeReport{before.run.value().gpu_name, before.run->batch_ms};
  for (std::size_t i = 0; i < report.layers.size(); ++i) {
    report.layers[i].before_ms = before.layers[i].time.total_ms();
  }
  report.warnings.push_back("the device does not exist: what was learned of " + report.run->gpu +
                            " is carried over to its changed numbers");
}

void add_epochs(Report& report, const EpochPlan& plan, const EpochTime& time, bool is_default) {
  RunReport& run = report.run.value();
  run.dataset_size = plan.dataset_size;
  run.dataset_size_is_default = is_default;
  run.validation_size = plan.validation_size;
  run.validation_s = time.validation_s;
  run.epochs = plan.epochs;
  run.epoch_s = time.epoch_s();
  run.total_s = time.total_s;
}

}  // namespace layersim
