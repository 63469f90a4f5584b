#pragma once
// Errors on runs kept out of training: intervals by split conformal prediction, and what the predictor file
// tells of itself.

#include <string>
#include <vector>

#include "trainers/run_training.h"

namespace layersim {

// Appends intervals for all stacks, for each framework and for each stack with enough runs: of new devices,
// or of known ones by whether their layers are new.
void add_intervals(const RunSet& set, const std::vector<HeldOutRun>& held_out, bool of_new_devices,
                   RunModel& model);

// Gives the model's networks intervals of single layers.
void add_layer_intervals(const RunSet& set, const std::vector<HeldOutRun>& held_out, RunModel& model);

// By device, stack, precision and mode.
[[nodiscard]] std::vector<KnownRuns> known_runs(const RunSet& set, const std::vector<HeldOutRun>& held_out,
                                                const RunModel& model);

struct RunErrors {
  std::string group;
  std::size_t runs = 0;
  double mape = 0;  // 0.05 is 5 %
  double median_ape = 0;
};
// Errors over all ("all"), by what was new of a known device's runs ("layers known", "layers new"), by stack,
// device, family and network: "stack tf2.5".
[[nodiscard]] std::vector<RunErrors> run_errors(const RunSet& set, const std::vector<HeldOutRun>& held_out);

// Of pairs of devices that ran the same network and batch with the same kind of stack and differ by more than
// 10 %: the share whose order is predicted right. 1 when there are no such pairs.
[[nodiscard]] double ordered_pairs(const RunSet& set, const std::vector<HeldOutRun>& held_out);

}  // namespace layersim
