#include "sim/timing/host_work.h"

#include <algorithm>

#include "sim/features/network_queries.h"
#include "sim/features/roofline_time.h"
#include "sim/predictors/step_parts.h"

namespace layersim {

HostWork host_work(const Network& network, std::span<const double> repeats, const Conditions& conditions) {
  HostWork work;
  const std::vector<LayerQuery> queries = make_queries(network);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    if (repeats[i] <= 0) continue;
    work.kernels += count_kernels(queries[i], conditions.mode) * repeats[i];
    const PassWork update = optimizer_work(queries[i], conditions);
    if (update.kernels == 0) continue;
    // One kernel a weight tensor.
    work.update_kernels += static_cast<double>(std::max<std::size_t>(network.layers[i].weights.size(), 1));
    work.update_bytes += update.bytes();
  }
  for (const ValueId input : network.graph.inputs) {
    const Tensor& tensor = network.graph.value(input).tensor;
    if (!tensor.shape || !is_known(*tensor.shape)) continue;
    work.input_bytes += static_cast<double>(element_count(*tensor.shape)) * bytes(tensor.dtype);
  }
  return work;
}

}  // namespace layersim
