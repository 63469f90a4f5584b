#pragma once
// Times of layers -> time of a batch.

#include <optional>
#include <span>

#include "sim/predictors/predictor.h"

namespace layersim {

struct StepTime {
  double forward_ms = 0;
  double backward_ms = 0;
  double optimizer_ms = 0;
  double overhead_ms = 0;
  double input_wait_ms = 0;     // for a loader that is slower than the device
  double communication_ms = 0;  // with other devices, as far as nothing hides it
  double bubble_ms = 0;         // for other stages of a pipeline
  // Nothing unless every layer that takes time has one.
  std::optional<Interval> interval_ms;

  [[nodiscard]] double batch_ms() const {
    return forward_ms + backward_ms + optimizer_ms + overhead_ms + input_wait_ms + communication_ms +
           bubble_ms;
  }
};

// A layer that gives no gradient to anything, because nothing before it or in it is trained: what is
// predicted of its backward pass does not take place.
void leave_out_backward(LayerPrediction& prediction);

// The layer's share of a batch: `repeats` executions forward and backward. The optimizer updates a weight
// once a batch, however often it is used.
[[nodiscard]] LayerPrediction repeated(const LayerPrediction& prediction, double repeats);

// `layers` as `repeated` gives them. Where the predictor knows no interval of the batch it follows from those
// of the layers, and takes errors of layers as going together: they come from
// the same device and software.
[[nodiscard]] StepTime add_up(std::span<const LayerPrediction> layers, const StepOverhead& overhead);

// The loader cannot deliver a batch in less time than this: the device waits for the rest of it.
void wait_for_input(StepTime& step, double least_ms);

}  // namespace layersim
