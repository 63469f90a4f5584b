#include "sim/pipeline.h"

#include "hwdb/device_db.h"
#include "hwdb/device_file.h"
#include "sim/core/error.h"
#include "sim/features/apply_precision.h"
#include "sim/features/feature_table.h"
#include "sim/features/run_conditions.h"
#include "sim/import/open_network.h"
#include "sim/predictors/predictor.h"
#include "sim/report/describe.h"
#include "sim/timing/memory.h"
#include "sim/timing/network_time.h"

namespace layersim {
namespace {

Conditions conditions_of(Network& network, const Device& device, const RunOptions& options) {
  return settle_conditions(
      network, device,
      {.mode = options.mode, .optimizer = options.optimizer, .precision = options.precision});
}

void warn_of_options(const RunOptions& options, Network& network) {
  if (options.mode == Mode::forward) {
    if (options.optimizer.value_or(Optimizer::none) != Optimizer::none) {
      network.warnings.add("a forward pass updates no weights: the optimizer is left out");
    }
    if (network.frozen_params > 0) {
      network.warnings.add("a forward pass trains no layer: --freeze changes nothing");
    }
    return;
  }
  if (const std::size_t quantized = count_quantized_layers(network); quantized > 0) {
    network.warnings.add("quantized layers have no gradients, so that a training step of the " +
                         std::to_string(quantized) + " here is too short: --mode forward");
  }
}

}  // namespace

Network load_network(const NetworkOptions& options, Mode mode) {
  Warnings warnings;
  Graph graph = open_network(options.network, warnings);
  DecomposeOptions decompose_options;
  decompose_options.bindings = options.bindings;
  decompose_options.training = mode == Mode::training;
  decompose_options.assume_batchnorm = options.assume_batchnorm;
  decompose_options.freeze = options.freeze;
  return with_context(options.network,
                      [&] { return decompose(std::move(graph), decompose_options, std::move(warnings)); });
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
  const Conditions conditions = conditions_of(network, device, run_options);
  warn_of_options(run_options, network);
  const std::unique_ptr<Predictor> predictor = make_predictor(run_options.method);
  const NetworkTime time = network_time(network, conditions, *predictor, network.warnings);
  const Memory memory = memory_need(network, time.repeats, conditions);

  Report report = describe_network(network, options.network, options.bindings.batch);
  add_run(report, time.repeats, time.layers, time.step, memory, conditions, *predictor);
  add_epochs(report, time.step, run_options.dataset_size, kDefaultDatasetSize, run_options.epochs);
  return report;
}

std::string describe_features(Network network, const Device& device, const RunOptions& run_options) {
  const Conditions conditions = conditions_of(network, device, run_options);
  return feature_table(network, conditions);
}

}  // namespace layersim
