#pragma once
// Which networks a predictor has, and how each is trained. Rows of one software stack follow rules of their
// own, so a stack with many rows has a network to itself; the network for all stacks ("*") is for the others
// and for stacks that no rows are from.

#include <string>
#include <string_view>
#include <vector>

#include "trainers/dataset.h"
#include "trainers/trainer.h"

namespace layersim {

struct PlannedNetwork {
  std::string family;
  std::string stack_group;  // as TrainedNetwork has it
  TrainingOptions options;
  int members = 1;                   // networks of which the mean is taken
  std::vector<std::size_t> samples;  // index into SampleSet::samples

  [[nodiscard]] std::string name() const { return family + '@' + stack_group; }
};

// The networks that these samples can train, of each family those of one stack before that of all.
[[nodiscard]] std::vector<PlannedNetwork> plan_networks(const SampleSet& set,
                                                        const std::vector<std::size_t>& samples);

}  // namespace layersim
