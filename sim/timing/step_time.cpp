#include "sim/timing/step_time.h"

namespace layersim {

void leave_out_backward(LayerPrediction& prediction) {
  const double before_ms = prediction.total_ms();
  prediction.backward_ms = 0;
  if (!prediction.interval_ms || before_ms <= 0) return;
  prediction.interval_ms->low *= prediction.total_ms() / before_ms;
  prediction.interval_ms->high *= prediction.total_ms() / before_ms;
}

LayerPrediction repeated(const LayerPrediction& prediction, double repeats) {
  LayerPrediction share = prediction;
  share.forward_ms *= repeats;
  share.backward_ms *= repeats;
  if (repeats == 0) share.optimizer_ms = 0;
  if (share.interval_ms && prediction.total_ms() > 0) {
    const double factor = share.total_ms() / prediction.total_ms();
    share.interval_ms->low *= factor;
    share.interval_ms->high *= factor;
  }
  return share;
}

StepTime add_up(std::span<const LayerPrediction> layers, double overhead_ms) {
  StepTime step;
  step.overhead_ms = overhead_ms;
  Interval interval{overhead_ms, overhead_ms};
  bool has_interval = !layers.empty();
  for (const LayerPrediction& layer : layers) {
    step.forward_ms += layer.forward_ms;
    step.backward_ms += layer.backward_ms;
    step.optimizer_ms += layer.optimizer_ms;
    if (layer.interval_ms) {
      interval.low += layer.interval_ms->low;
      interval.high += layer.interval_ms->high;
    } else if (layer.total_ms() > 0) {
      has_interval = false;
    }
  }
  if (has_interval) step.interval_ms = interval;
  return step;
}

double epoch_s(const StepTime& step, std::int64_t batch, std::int64_t dataset_size) {
  const std::int64_t full_batches = dataset_size / batch;
  const std::int64_t rest = dataset_size % batch;
  double ms = static_cast<double>(full_batches) * step.batch_ms();
  if (rest > 0) {
    const double share = static_cast<double>(rest) / static_cast<double>(batch);
    ms += share * (step.forward_ms + step.backward_ms) + step.optimizer_ms + step.overhead_ms;
  }
  return ms / 1000;
}

}  // namespace layersim
