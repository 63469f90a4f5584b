#include "sim/timing/step_time.h"

#include <algorithm>

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

StepTime add_up(std::span<const LayerPrediction> layers, const StepOverhead& overhead) {
  StepTime step;
  step.overhead_ms = overhead.ms;
  Interval interval{overhead.ms, overhead.ms};
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
  if (overhead.batch_interval_ms) step.interval_ms = overhead.batch_interval_ms;
  return step;
}

void wait_for_input(StepTime& step, double least_ms) {
  step.input_wait_ms = std::max(least_ms - step.batch_ms(), 0.0);
  if (!step.interval_ms) return;
  step.interval_ms->low = std::max(step.interval_ms->low, least_ms);
  step.interval_ms->high = std::max(step.interval_ms->high, least_ms);
}

}  // namespace layersim
