#include "sim/timing/host_work.h"

#include <algorithm>

#include "sim/features/roofline_time.h"
#include "sim/predictors/step_parts.h"

namespace layersim {

StepHostWork::StepHostWork(const Network& network, std::span<const LayerQuery> queries,
                           const Conditions& conditions) {
  for (std::size_t i = 0; i < queries.size(); ++i) {
    HostWork& work = layers_.emplace_back();
    work.kernels = count_kernels(queries[i], conditions);
    const PassWork update = optimizer_work(queries[i], conditions);
    if (update.kernels == 0) continue;
    // One kernel a weight tensor.
    work.update_kernels = static_cast<double>(std::max<std::size_t>(network.layers[i].weights.size(), 1));
    work.update_bytes = update.bytes();
  }
  for (const ValueId input : network.graph.inputs) {
    const Tensor& tensor = network.graph.value(input).tensor;
    if (!tensor.shape || !is_known(*tensor.shape)) continue;
    input_bytes_ += static_cast<double>(element_count(*tensor.shape)) * bytes(tensor.dtype);
  }
}

HostWork StepHostWork::total(std::span<const double> repeats) const {
  HostWork total{.input_bytes = input_bytes_};
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    if (repeats[i] <= 0) continue;
    total.kernels += layers_[i].kernels * repeats[i];
    total.update_kernels += layers_[i].update_kernels;
    total.update_bytes += layers_[i].update_bytes;
  }
  return total;
}

}  // namespace layersim
