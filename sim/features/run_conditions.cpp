#include "sim/features/run_conditions.h"

#include "sim/core/error.h"
#include "sim/features/apply_precision.h"

namespace layersim {

Conditions settle_conditions(Network& network, const Device& device, const RunSettings& settings) {
  const bool is_training = settings.mode == Mode::training;
  if (is_training && settings.precision == Precision::int8) {
    throw bad_use("no training in int8: quantized networks run forward only (--mode forward)");
  }
  Conditions conditions;
  conditions.device = &device;
  conditions.mode = settings.mode;
  conditions.optimizer = is_training ? settings.optimizer.value_or(Optimizer::sgd) : Optimizer::none;
  conditions.precision = settings.precision.value_or(precision_of(network));
  conditions.stack = settings.stack;
  conditions.n_gpus = settings.n_gpus;
  if (settings.precision) apply_precision(network, *settings.precision);
  return conditions;
}

}  // namespace layersim
