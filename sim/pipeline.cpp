#include "sim/pipeline.h"

#include "hwdb/device_db.h"
#include "hwdb/device_file.h"
#include "sim/core/error.h"
#include "sim/features/apply_precision.h"
#include "sim/features/device_precisions.h"
#include "sim/features/feature_table.h"
#include "sim/features/network_queries.h"
#include "sim/features/run_conditions.h"
#include "sim/graph/batch_axis.h"
#include "sim/import/open_network.h"
#include "sim/predictors/predictor.h"
#include "sim/report/describe.h"
#include "sim/timing/epoch_time.h"

namespace layersim {
namespace {

Conditions conditions_of(Network& network, const Device& device, const RunOptions& options) {
  if (options.precision) with_context("--precision", [&] { check_precision(device, *options.precision); });
  return settle_conditions(network, device,
                           {.mode = options.mode,
                            .optimizer = options.optimizer,
                            .precision = options.precision,
                            .stack = options.stack,
                            .n_gpus = options.parallel.cluster.devices});
}

Graph open_graph(const NetworkOptions& options, Warnings& warnings) {
  return options.open ? options.open(warnings) : open_network(options.network, warnings, options.bindings);
}

void warn_of_options(const RunOptions& options, Network& network) {
  if (options.mode == Mode::forward) {
    if (options.optimizer.value_or(Optimizer::none) != Optimizer::none) {
      network.warnings.add("a forward pass updates no weights: the optimizer is left out");
    }
    if (network.frozen_params > 0) {
      network.warnings.add("a forward pass trains no layer: --freeze changes nothing");
    }
    if (options.validation_size > 0) {
      throw bad_use("--validation-size is for training: a validation pass is a forward pass");
    }
    return;
  }
  if (const std::size_t quantized = count_quantized_layers(network); quantized > 0) {
    network.warnings.add("quantized layers have no gradients, so that a training step of the " +
                         std::to_string(quantized) + " here is too short: --mode forward");
  }
}

void wait_for_loader(StepTime& step, std::int64_t batch, const RunOptions& options) {
  if (options.loader_samples_per_s) {
    wait_for_input(step, 1000 * static_cast<double>(batch) / *options.loader_samples_per_s);
  }
}

Network take_apart(Graph graph, const NetworkOptions& options, Mode mode, Warnings warnings) {
  DecomposeOptions decompose_options;
  decompose_options.bindings = options.bindings;
  decompose_options.training = mode == Mode::training;
  decompose_options.assume_batchnorm = options.assume_batchnorm;
  decompose_options.freeze = options.freeze;
  return with_context(options.network,
                      [&] { return decompose(std::move(graph), decompose_options, std::move(warnings)); });
}

// More samples than anybody runs in one batch.
constexpr std::int64_t kMostSamples = std::int64_t{1} << 24;

// The network that `options` name, at another batch than they say.
class NetworkSource {
 public:
  NetworkSource(const NetworkOptions& options, Mode mode)
      : options_(options),
        mode_(mode),
        graph_(open_graph(options, warnings_)),
        batch_axes_(find_batch_axes(graph_)) {}

  [[nodiscard]] Network at(std::int64_t batch) const {
    NetworkOptions options = options_;
    options.bindings.batch = batch;
    for (auto& [name, shape] : options.bindings.inputs) {
      for (std::size_t i = 0; i < graph_.inputs.size(); ++i) {
        const bool is_input = name.empty() || graph_.value(graph_.inputs[i]).name == name;
        if (is_input && batch_axes_[i] && *batch_axes_[i] < shape.size()) shape[*batch_axes_[i]] = batch;
      }
    }
    return take_apart(graph_, options, mode_, warnings_);
  }

 private:
  const NetworkOptions& options_;
  Mode mode_;
  Warnings warnings_;
  Graph graph_;
  std::vector<std::optional<std::size_t>> batch_axes_;
};

// Takes the network apart anew for each batch that the search looks at.
std::int64_t find_max_batch(const NetworkOptions& options, const Device& device,
                            const RunOptions& run_options, const Predictor& predictor,
                            const ParallelPlan& plan) {
  const NetworkSource source(options, run_options.mode);
  const auto fits = [&](std::int64_t device_batch) {
    Warnings ignored;
    Network network = source.at(device_batch);
    const Conditions conditions = conditions_of(network, device, run_options);
    const ParallelStep step = parallel_step(network, conditions, predictor, plan, ignored);
    return step.memory.total_bytes() <= usable_bytes(device);
  };
  return largest_batch(fits, kMostSamples) * batch_parts(plan);
}

std::optional<HourlyPrice> price_of_all(const RunOptions& options) {
  std::optional<HourlyPrice> price = options.price;
  if (const int devices = options.parallel.cluster.devices; price && devices > 1) {
    price->usd *= devices;
    price->what = std::to_string(devices) + " times " + price->what;
  }
  return price;
}

void add_epochs_to(Report& report, const Network& network, const Conditions& conditions,
                   const RunOptions& run_options, const Predictor& predictor, const ParallelPlan& parallel,
                   const StepTime& step) {
  const EpochPlan plan{.batch = report.network.batch,
                       .dataset_size = run_options.dataset_size.value_or(kDefaultDatasetSize),
                       .validation_size = run_options.validation_size,
                       .epochs = run_options.epochs};
  std::optional<StepTime> validation;
  if (plan.validation_size > 0) {
    Conditions forward = conditions;
    forward.mode = Mode::forward;
    forward.optimizer = Optimizer::none;
    Warnings ignored;
    validation = parallel_step(network, forward, predictor, parallel, ignored).time.step;
    wait_for_loader(*validation, plan.batch, run_options);
  }
  add_epochs(report, plan, epoch_time(plan, step, validation), !run_options.dataset_size.has_value());
}

}  // namespace

Network load_network(const NetworkOptions& options, Mode mode) {
  Warnings warnings;
  Graph graph = open_graph(options, warnings);
  return take_apart(std::move(graph), options, mode, std::move(warnings));
}

Device load_device(const DeviceOptions& options) {
  if (options.gpu_file) return read_device_file(*options.gpu_file);
  return DeviceDb().find(options.gpu);
}

Report show(const Network& network, const NetworkOptions& options) {
  return describe_network(network, options.network, options.bindings.batch);
}

Report predict(Network network, const NetworkOptions& options, const Device& device,
               const RunOptions& run_options) {
  return predict(std::move(network), options, device, run_options,
                 *make_predictor(run_options.method, run_options.predictor_file));
}

Report predict(Network network, const NetworkOptions& options, const Device& device,
               const RunOptions& run_options, const Predictor& predictor) {
  Conditions conditions = conditions_of(network, device, run_options);
  check_stack(predictor, run_options.stack);
  const std::string default_stack = predictor.default_stack(device);
  if (conditions.stack.empty()) conditions.stack = default_stack;
  warn_of_options(run_options, network);

  const NetworkReport whole = describe_network(network, options.network, options.bindings.batch).network;
  const ParallelPlan plan = make_plan(run_options.parallel, device, whole.batch);
  const std::int64_t device_batch = batch_of_device(plan, whole.batch);
  if (device_batch != whole.batch) {
    Warnings warnings = network.warnings;
    network = NetworkSource(options, run_options.mode).at(device_batch);
    network.warnings = std::move(warnings);
    static_cast<void>(conditions_of(network, device, run_options));  // gives its tensors the precision
  }
  ParallelStep step = parallel_step(network, conditions, predictor, plan, network.warnings);

  Report report = describe_network(network, options.network, options.bindings.batch);
  report.network = whole;
  wait_for_loader(step.time.step, whole.batch, run_options);
  add_run(report, step.time.repeats, step.time.layers, step.time.step, step.memory, conditions, predictor);
  add_bounds(report, make_queries(network), conditions);
  if (plan.cluster.devices > 1) add_parallel(report, plan, step, device_batch);
  add_epochs_to(report, network, conditions, run_options, predictor, plan, step.time.step);
  report.run->price = price_of_all(run_options);
  if (run_options.find_max_batch) {
    const std::int64_t largest = find_max_batch(options, device, run_options, predictor, plan);
    report.run->memory.max_batch = largest;
    if (largest >= kMostSamples * batch_parts(plan)) {
      report.warnings.push_back("--max-batch tries up to " + std::to_string(kMostSamples) +
                                " samples a device: more may fit");
    }
  }
  return report;
}

Report predict_hypothetical(const Network& network, const NetworkOptions& options, const Device& device,
                            std::span<const DeviceChange> changes, const RunOptions& run_options) {
  Report report = predict(network, options, hypothetical_device(device, changes), run_options);
  if (run_options.precision && !has_precision(device, *run_options.precision)) {
    report.warnings.push_back(device.key + " has no " + std::string(name(*run_options.precision)) +
                              ": there is no time of it as it is to compare with");
    return report;
  }
  add_before(report, predict(network, options, device, run_options));
  return report;
}

std::string describe_features(Network network, const Device& device, const RunOptions& run_options) {
  const Conditions conditions = conditions_of(network, device, run_options);
  return feature_table(network, conditions);
}

}  // namespace layersim
