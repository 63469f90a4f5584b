#pragma once
// A network measured on a real device: how long a batch takes, and each layer within it.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sampler/network/runnable_network.h"
#include "sampler/protocol.h"
#include "sim/decompose/decompose.h"

namespace layersim {

// As the network's decomposition has it; times of one batch, the median over the repetitions.
struct LayerTime {
  std::string name;
  std::string kind;  // empty: an operator without a model
  NodeTime time;

  [[nodiscard]] double total_ms() const { return time.forward_ms + time.backward_ms + time.optimizer_ms; }
};

struct NetworkMeasurement {
  NetworkRunSettings settings;
  RunLibrary library;
  Precision precision = Precision::fp32;  // as the file stores its tensors
  Timing batch;
  std::vector<LayerTime> layers;  // empty unless they were asked for
  double other_ms = 0;            // of nodes that are no layer: views, mostly
};

struct MeasureOptions {
  NetworkRunSettings settings;
  Protocol protocol;
  bool with_layers = false;
  std::optional<double> available_mib{};  // of the device's memory; nothing: not known
};

// Makes the network on the device and times it. Weights that the network was told to freeze get no gradient.
// Throws what make_torch_network and RunnableNetwork::run throw, and nothing_predicted where the network's
// loops or branches keep it from being run, and where the memory that is predicted for it (memory_need) is
// more than there is: a host may not refuse it but end the process.
[[nodiscard]] NetworkMeasurement measure_network(const Network& network, const MeasureOptions& options);

// The same with another way to make the runnable network.
using MakeRunnable =
    std::function<std::unique_ptr<RunnableNetwork>(const Graph& graph, const NetworkRunSettings& settings)>;
[[nodiscard]] NetworkMeasurement measure_network(const Network& network, const MeasureOptions& options,
                                                 const MakeRunnable& make);

}  // namespace layersim
