#include "sim/features/network_queries.h"

namespace layersim {

std::vector<LayerQuery> make_queries(const Network& network) {
  std::vector<LayerQuery> queries;
  queries.reserve(network.layers.size());
  for (const Layer& layer : network.layers) {
    queries.push_back({.problem = &layer.problem,
                       .work = &layer.work,
                       .learned_elements = layer.params - layer.frozen_params,
                       .needs_input_gradient = layer.needs_input_gradient,
                       .needs_weight_gradient = layer.needs_weight_gradient});
  }
  return queries;
}

}  // namespace layersim
