#pragma once
// Time of a batch -> time of an epoch and of a whole run.

#include <cstdint>
#include <optional>

#include "sim/timing/step_time.h"

namespace layersim {

// Samples.
struct EpochPlan {
  std::int64_t batch = 1;
  std::int64_t dataset_size = 1;
  std::int64_t validation_size = 0;  // a forward pass over so many follows each epoch
  std::int64_t epochs = 1;
};

struct EpochTime {
  double pass_s = 0;        // over the data set
  double validation_s = 0;  // over the validation set
  double total_s = 0;       // all epochs

  [[nodiscard]] double epoch_s() const { return pass_s + validation_s; }
};

// `validation`: a forward pass over a batch; nothing where validation_size is 0. The last batch of a pass may
// be smaller: its forward and backward time and the wait for its input shrink in proportion, update,
// overhead, communication and bubble stay.
[[nodiscard]] EpochTime epoch_time(const EpochPlan& plan, const StepTime& step,
                                   const std::optional<StepTime>& validation);

}  // namespace layersim
