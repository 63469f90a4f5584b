#include "sim/study/network_at_batch.h"

#include "sim/features/run_conditions.h"

namespace layersim {

DecomposeOptions study_decomposition(const StudyRequest& request, std::int64_t batch) {
  DecomposeOptions options;
  options.bindings = request.bindings;
  options.bindings.batch = batch;
  options.training = request.mode == Mode::training;
  options.assume_batchnorm = request.assume_batchnorm;
  options.freeze = request.freeze;
  return options;
}

Conditions forward_pass(Conditions conditions) {
  conditions.mode = Mode::forward;
  conditions.optimizer = Optimizer::none;
  return conditions;
}

NetworkAtBatch::NetworkAtBatch(const StudyRequest& request, const Graph& graph, const Warnings& warnings,
                               std::int64_t batch)
    : batch_(batch), network_(decompose(graph, study_decomposition(request, batch), warnings)) {
  conditions_ = settle_conditions(
      network_, request.choices.front().device,
      {.mode = request.mode, .optimizer = request.optimizer, .precision = request.precision});
  step_.emplace(network_, conditions_);
  if (request.validation_size > 0) validation_.emplace(network_, forward_pass(conditions_));
  for (const Layer& layer : network_.layers) repeats_.push_back(network_.repeats(layer));
  memory_.emplace(network_, repeats_, conditions_);
}

Conditions NetworkAtBatch::conditions(const Device& device, std::string_view stack) const {
  Conditions conditions = conditions_;
  conditions.device = &device;
  conditions.stack = stack;
  return conditions;
}

Memory NetworkAtBatch::memory(const std::vector<double>& repeats, const Device& device) const {
  // Which of two branches is the slower one, and counts, may depend on the device.
  if (repeats != repeats_) return NetworkMemory(network_, repeats, conditions_).on(device);
  return memory_->on(device);
}

}  // namespace layersim
