#include "sim/features/run_conditions.h"

#include "sim/core/error.h"
#include "sim/features/apply_precision.h"

namespace layersim {

Conditions run_conditions(const Device& device, const RunSettings& settings, Precision precision) {
  const bool is_training = settings.mode == Mode::training;
  return {.device = &device,
          .precision = precision,
          .mode = settings.mode,
          .optimizer = is_training ? settings.optimizer.value_or(Optimizer::sgd) : Optimizer::none,
          .stack = settings.stack,
          .n_gpus = settings.n_gpus};
}

Conditions settle_conditions(Network& network, const Device& device, const RunSettings& settings) {
  if (settings.mode == Mode::training && settings.precision == Precision::int8) {
    throw bad_use("no training in int8: quantized networks run forward only (--mode forward)");
  }
  const Precision precision = settings.precision.value_or(precision_of(network));
  if (settings.precision) apply_precision(network, precision);
  return run_conditions(device, settings, precision);
}

}  // namespace layersim
