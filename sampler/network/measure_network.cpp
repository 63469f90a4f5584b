#include "sampler/network/measure_network.h"

#include <algorithm>
#include <unordered_map>

#include "sim/core/error.h"
#include "sim/features/apply_precision.h"
#include "sim/report/readable_text.h"
#include "sim/timing/memory.h"

namespace layersim {
namespace {

// Weights that are not trained count as constants.
Graph with_frozen_weights(const Network& network) {
  Graph graph = network.graph;
  if (network.frozen_params == 0) return graph;
  for (const Layer& layer : network.layers) {
    if (layer.needs_weight_gradient) continue;
    for (const ValueId weight : layer.weights) graph.value(weight).origin = Origin::constant;
  }
  return graph;
}

double median(std::vector<double> numbers) {
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  return *middle;
}

// Of each node over the repetitions, each part for itself.
std::vector<NodeTime> median_times(const std::vector<std::vector<NodeTime>>& repetitions) {
  std::vector<NodeTime> medians(repetitions.front().size());
  for (std::size_t node = 0; node < medians.size(); ++node) {
    for (double NodeTime::*part : {&NodeTime::forward_ms, &NodeTime::backward_ms, &NodeTime::optimizer_ms}) {
      std::vector<double> numbers;
      numbers.reserve(repetitions.size());
      for (const auto& times : repetitions) numbers.push_back(times[node].*part);
      medians[node].*part = median(std::move(numbers));
    }
  }
  return medians;
}

// Layers by the value that they make: a node's last layer makes the node's outputs.
void sum_by_layer(const Network& network, const std::vector<NodeTime>& nodes,
                  NetworkMeasurement& measurement) {
  std::unordered_map<ValueId, std::size_t> makers;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    for (const ValueId output : network.layers[i].outputs) makers[output] = i;
  }
  std::vector<NodeTime> times(network.layers.size());
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    const auto maker = makers.find(network.graph.nodes[node].output(0));
    if (maker != makers.end()) {
      times[maker->second] = nodes[node];
    } else {
      measurement.other_ms += nodes[node].forward_ms + nodes[node].backward_ms + nodes[node].optimizer_ms;
    }
  }
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& layer = network.layers[i];
    if (layer.outputs.empty()) continue;  // of several layers of one node, the last one stands for all
    const LayerKind* kind = layer.problem.kind;
    measurement.layers.push_back({layer.name, kind == nullptr ? "" : std::string(kind->name), times[i]});
  }
}

// Once for each layer: of an undecided loop it is the least.
double needed_mib(const Network& network, const NetworkRunSettings& settings) {
  constexpr double kMib = 1024.0 * 1024.0;
  const std::vector<double> once(network.layers.size(), 1);
  const Conditions conditions{.device = nullptr,
                              .precision = precision_of(network),
                              .mode = settings.mode,
                              .optimizer = settings.optimizer};
  Device host;  // libraries' own memory is not counted
  host.device_type = "cpu";
  return NetworkMemory(network, once, conditions).on(host).total_bytes() / kMib;
}

void check_memory(const Network& network, const MeasureOptions& options) {
  if (!options.available_mib) return;
  const double needed = needed_mib(network, options.settings);
  if (needed <= *options.available_mib) return;
  throw Error(ErrorKind::nothing_predicted,
              "does not fit into memory: a batch needs about " + with_thousands(needed) + " MiB, and " +
                  with_thousands(*options.available_mib) + " are available; try a smaller --batch");
}

}  // namespace

NetworkMeasurement measure_network(const Network& network, const MeasureOptions& options,
                                   const MakeRunnable& make) {
  check_memory(network, options);
  const Graph graph = with_frozen_weights(network);
  const auto runnable = make(graph, options.settings);
  NetworkMeasurement measurement{
      .settings = options.settings,
      .library = runnable->library(),
      .precision = precision_of(network),
      .batch = time_calls([&](int calls) { return runnable->run(calls); }, options.protocol),
      .layers = {}};
  if (!options.with_layers) return measurement;
  (void)runnable->time_nodes();  // warms up
  std::vector<std::vector<NodeTime>> repetitions;
  repetitions.reserve(static_cast<std::size_t>(options.protocol.repetitions));
  for (int i = 0; i < options.protocol.repetitions; ++i) repetitions.push_back(runnable->time_nodes());
  sum_by_layer(network, median_times(repetitions), measurement);
  return measurement;
}

NetworkMeasurement measure_network(const Network& network, const MeasureOptions& options) {
  return measure_network(network, options, make_torch_network);
}

}  // namespace layersim
