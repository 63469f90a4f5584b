#include "trainers/methods/hybrid_steps.h"

#include "sim/core/error.h"
#include "sim/features/network_queries.h"
#include "sim/methods/common/step_features.h"
#include "sim/timing/network_time.h"

namespace layersim {
namespace {

bool is_conv(const Layer& layer) {
  return layer.problem.kind != nullptr && layer.problem.kind->name == "conv";
}

}  // namespace

HybridStep HybridSteps::take_apart(const Run& run) {
  const PreparedRun prepared = networks_.prepare(run);
  const Network& network = *prepared.network;
  with_context(run.network_name, [&] { check_has_layers(network); });
  Warnings ignored;  // `predict` tells them of all layers
  const NetworkTime time = network_time(network, prepared.conditions, predictor_, ignored);
  HybridStep step;
  step.network = run.network_name;
  step.gpu = run.device->key;
  step.precision = prepared.conditions.precision;
  step.mode = prepared.conditions.mode;
  step.batch = run.batch;
  step.measured_ms = run.measured_ms;
  step.whole_ms = time.step.batch_ms();
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& layer = network.layers[i];
    if (!is_conv(layer) || time.repeats[i] <= 0) continue;
    const auto stored_ms = stored_.find(layer.problem, prepared.conditions,
                                        {layer.needs_input_gradient, layer.needs_weight_gradient});
    if (stored_ms) {
      step.convolutions.stored += time.repeats[i];
      step.stored_ms += *stored_ms * time.repeats[i];
      step.conv_ms += *stored_ms * time.repeats[i];
      continue;
    }
    step.convolutions.predicted += time.repeats[i];
    if (stored_.has_part(layer.problem, prepared.conditions)) step.convolutions.incomplete += time.repeats[i];
    step.conv_ms += time.layers[i].forward_ms + time.layers[i].backward_ms;  // of all repeats
    step.missing.push_back({layer.problem, prepared.conditions.mode, prepared.conditions.precision,
                            run.device->key, run.network_name + ": " + layer.name});
  }
  step.rest = step_rest(network, prepared.conditions, step.conv_ms);
  step.network_warnings = network_warnings(network);
  if (step.convolutions.predicted > 0) step.predicted = predictor_.warnings(prepared.conditions);
  return step;
}

}  // namespace layersim
