#include "sim/timing/memory.h"

#include <algorithm>
#include <vector>

namespace layersim {
namespace {

constexpr double kMib = 1024.0 * 1024.0;

// A CUDA process holds 300 to 500 MiB before the first tensor: about 400 MiB by pytorch/pytorch issues 20532
// and 109888.
constexpr double kGpuContextBytes = 400 * kMib;

constexpr ValueId kNobody = kNoValue;

// The tensors of a network by the memory that they lie in. Nodes that no layer stands for (reshapes, an
// activation that ran within its layer) give no memory of their own: their outputs share that of their first
// input.
class Tensors {
 public:
  explicit Tensors(const Network& network) : network_(network) {
    const Graph& graph = network.graph;
    root_.assign(graph.values.size(), kNobody);
    for (const Layer& layer : network.layers) {
      for (const ValueId output : layer.outputs) set_root(output, output);
    }
    for (const ValueId input : graph.inputs) set_root(input, input);
    for (const Node& node : graph.nodes) {
      for (const ValueId output : node.outputs) {
        if (root(output) == kNobody && output != kNoValue) set_root(output, root(node.input(0)));
      }
    }
  }

  // The value whose memory this one lies in; kNobody for weights and shape arithmetic.
  [[nodiscard]] ValueId root(ValueId value) const {
    return value == kNoValue ? kNobody : root_[static_cast<std::size_t>(value)];
  }

  // 0 where the shape is not known.
  [[nodiscard]] double bytes_of(ValueId value) const {
    const Tensor& tensor = network_.graph.value(value).tensor;
    if (!tensor.shape || !is_known(*tensor.shape)) return 0;
    return static_cast<double>(element_count(*tensor.shape)) * bytes(tensor.dtype);
  }

 private:
  void set_root(ValueId value, ValueId root) {
    if (value != kNoValue) root_[static_cast<std::size_t>(value)] = root;
  }

  const Network& network_;
  std::vector<ValueId> root_;
};

// Sum over everything that some backward pass reads: each tensor once, and what layers keep of their own
// (masks, gates).
double kept_bytes(const Network& network, const Tensors& tensors, std::span<const double> repeats) {
  std::vector<double> kept(network.graph.values.size(), 0);  // executions of the layer that makes or reads it
  double total = 0;
  const auto keep = [&](ValueId value, double times) {
    const ValueId root = tensors.root(value);
    if (root == kNobody) return;
    double& entry = kept[static_cast<std::size_t>(root)];
    if (times <= entry) return;
    total += (times - entry) * tensors.bytes_of(root);
    entry = times;
  };
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& layer = network.layers[i];
    // What an operator without a model keeps is not known: its inputs, say.
    if (layer.work.keeps_input || layer.problem.kind == nullptr) {
      for (const ValueId input : layer.inputs) keep(input, repeats[i]);
    }
    if (layer.work.keeps_output) {
      for (const ValueId output : layer.outputs) keep(output, repeats[i]);
    }
    total += repeats[i] * layer.work.kept_elements * bytes(layer.problem.dtype);
  }
  return total;
}

// The most bytes that are alive at the end of any layer, each tensor from its layer to the last one that
// reads it.
double peak_bytes(const Network& network, const Tensors& tensors, std::span<const double> repeats) {
  const std::size_t layer_count = network.layers.size();
  std::vector<std::int64_t> last_use(network.graph.values.size(), -1);
  for (std::size_t i = 0; i < layer_count; ++i) {
    for (const ValueId input : network.layers[i].inputs) {
      const ValueId root = tensors.root(input);
      if (root != kNobody) last_use[static_cast<std::size_t>(root)] = static_cast<std::int64_t>(i);
    }
  }
  for (const ValueId output : network.graph.outputs) {
    const ValueId root = tensors.root(output);
    if (root != kNobody) last_use[static_cast<std::size_t>(root)] = static_cast<std::int64_t>(layer_count);
  }
  double alive = 0;
  for (const ValueId input : network.graph.inputs) alive += tensors.bytes_of(input);
  double peak = alive;
  for (std::size_t i = 0; i < layer_count; ++i) {
    const Layer& layer = network.layers[i];
    if (repeats[i] == 0) continue;
    const auto index = static_cast<std::int64_t>(i);
    for (const ValueId output : layer.outputs) {
      if (output != kNoValue) alive += tensors.bytes_of(output);
    }
    peak = std::max(peak, alive);
    const auto release = [&](ValueId value) {
      const ValueId root = tensors.root(value);
      if (root == kNobody) return;
      std::int64_t& last = last_use[static_cast<std::size_t>(root)];
      if (last > index || last == -2) return;
      alive -= tensors.bytes_of(root);
      last = -2;  // released
    };
    for (const ValueId input : layer.inputs) release(input);
    for (const ValueId output : layer.outputs) release(output);  // one that nobody reads
  }
  return peak;
}

}  // namespace

Memory memory_need(const Network& network, std::span<const double> repeats, const Conditions& conditions) {
  const Tensors tensors(network);
  const double number_bytes = bytes(stored_dtype(conditions.precision));
  const double stored_bytes = network.params * number_bytes;
  const double trained_bytes = (network.params - network.frozen_params) * number_bytes;
  Memory memory;
  memory.weights_bytes = network.weight_bytes;
  if (conditions.precision == Precision::mixed)
    memory.weights_bytes += stored_bytes;  // beside the fp16 copies
  if (conditions.device->device_type != "cpu") memory.context_bytes = kGpuContextBytes;
  if (conditions.mode == Mode::forward) {
    memory.activations_bytes = peak_bytes(network, tensors, repeats);
    return memory;
  }
  memory.gradients_bytes = trained_bytes;
  memory.optimizer_bytes = cost(conditions.optimizer).states * trained_bytes;
  memory.activations_bytes = kept_bytes(network, tensors, repeats);
  return memory;
}

}  // namespace layersim
