#include "sim/timing/tensor_memory.h"

namespace layersim {

TensorMemory::TensorMemory(const Network& network) : network_(network) {
  const Graph& graph = network.graph;
  root_.assign(graph.values.size(), kNoValue);
  for (const Layer& layer : network.layers) {
    for (const ValueId output : layer.outputs) set_root(output, output);
  }
  for (const ValueId input : graph.inputs) set_root(input, input);
  for (const Node& node : graph.nodes) {
    for (const ValueId output : node.outputs) {
      if (root(output) == kNoValue && output != kNoValue) set_root(output, root(node.input(0)));
    }
  }
}

double TensorMemory::bytes_of(ValueId value) const {
  const Tensor& tensor = network_.graph.value(value).tensor;
  if (!tensor.shape || !is_known(*tensor.shape)) return 0;
  return static_cast<double>(element_count(*tensor.shape)) * bytes(tensor.dtype);
}

void TensorMemory::set_root(ValueId value, ValueId root) {
  if (value != kNoValue) root_[static_cast<std::size_t>(value)] = root;
}

bool runs_backward(const Layer& layer) { return layer.needs_input_gradient || layer.needs_weight_gradient; }

KeptTensors kept_tensors(const Network& network, std::size_t index) {
  const Layer& layer = network.layers[index];
  KeptTensors kept;
  if (!runs_backward(layer)) return kept;
  const LayerWork& work = layer.work;
  // The product that gives the weights' gradient is what reads a convolution's input: without it, nothing
  // does.
  const bool only_weights_read_it = work.backward_weight.macs > 0;
  // What an operator without a model keeps is not known: its inputs, say.
  const bool keeps_input = (work.keeps_input || layer.problem.kind == nullptr) &&
                           (layer.needs_weight_gradient || !only_weights_read_it);
  if (keeps_input) {
    kept.values = layer.inputs;
    // Between the layers of one node lies a tensor that the graph does not name.
    const bool continues_node =
        layer.inputs.empty() && index > 0 && network.layers[index - 1].outputs.empty();
    if (continues_node && network.layers[index - 1].output_shape_known &&
        is_known(network.layers[index - 1].output_shape)) {
      kept.other_bytes += static_cast<double>(element_count(network.layers[index - 1].output_shape)) *
                          bytes(layer.problem.dtype);
    }
  }
  if (work.keeps_output) kept.values.insert(kept.values.end(), layer.outputs.begin(), layer.outputs.end());
  kept.other_bytes += work.kept_elements * bytes(layer.problem.dtype);
  return kept;
}

}  // namespace layersim
