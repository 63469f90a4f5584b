#include "sim/timing/epoch_time.h"

namespace layersim {
namespace {

double pass_s(const StepTime& step, std::int64_t batch, std::int64_t samples) {
  const std::int64_t full_batches = samples / batch;
  const std::int64_t rest = samples % batch;
  double ms = static_cast<double>(full_batches) * step.batch_ms();
  if (rest > 0) {
    const double share = static_cast<double>(rest) / static_cast<double>(batch);
    ms += share * (step.forward_ms + step.backward_ms + step.input_wait_ms) + step.optimizer_ms +
          step.overhead_ms + step.communication_ms + step.bubble_ms;
  }
  return ms / 1000;
}

}  // namespace

EpochTime epoch_time(const EpochPlan& plan, const StepTime& step, const std::optional<StepTime>& validation) {
  EpochTime time;
  time.pass_s = pass_s(step, plan.batch, plan.dataset_size);
  if (validation) time.validation_s = pass_s(*validation, plan.batch, plan.validation_size);
  time.total_s = static_cast<double>(plan.epochs) * time.epoch_s();
  return time;
}

}  // namespace layersim
