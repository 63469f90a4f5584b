#include "sim/features/network_queries.h"

namespace layersim {
namespace {

// How many layers read each value.
std::vector<int> count_readers(const Network& network) {
  std::vector<int> readers(network.graph.values.size(), 0);
  for (const Layer& layer : network.layers) {
    for (const ValueId input : layer.inputs) ++readers[static_cast<std::size_t>(input)];
  }
  return readers;
}

double gradient_sum_elements(const Layer& layer, const Graph& graph, const std::vector<int>& readers) {
  double elements = 0;
  for (const ValueId output : layer.outputs) {
    const Tensor& tensor = graph.value(output).tensor;
    const int sums = readers[static_cast<std::size_t>(output)] - 1;
    if (sums <= 0 || !is_float(tensor.dtype) || !tensor.shape || !is_known(*tensor.shape)) continue;
    elements += sums * static_cast<double>(element_count(*tensor.shape));
  }
  return elements;
}

}  // namespace

std::vector<LayerQuery> make_queries(const Network& network) {
  std::vector<LayerQuery> queries;
  queries.reserve(network.layers.size());
  const std::vector<int> readers = count_readers(network);
  for (const Layer& layer : network.layers) {
    queries.push_back({.problem = &layer.problem,
                       .work = &layer.work,
                       .learned_elements = layer.params - layer.frozen_params,
                       .needs_input_gradient = layer.needs_input_gradient,
                       .needs_weight_gradient = layer.needs_weight_gradient,
                       .gradient_sum_elements = gradient_sum_elements(layer, network.graph, readers)});
  }
  return queries;
}

}  // namespace layersim
