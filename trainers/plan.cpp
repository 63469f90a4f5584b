#include "trainers/plan.h"

#include <algorithm>

namespace layersim {
namespace {

struct NetworkPlan {
  std::string_view family;
  std::string_view stack_group;  // begin of the stacks' names; "*": all
  std::string_view
      left_out;  // begin of the names of stacks that "*" leaves to their own network; empty: none
  TrainingOptions options;
  int members = 1;
};

// Chosen on validation rows of the published measurements.
const std::vector<NetworkPlan>& plans() {
  static const std::vector<NetworkPlan> kPlans{
      {"conv", "tf", "", {.epochs = 80}},
      {"conv", "pytorch", "", {.epochs = 90, .batch_rows = 128, .weight_decay = 0.03}, 2},
      {"conv", "*", "", {.hidden = {96, 64, 32}, .epochs = 60}},
      {"gemm", "tf", "", {.weight_decay = 0.03}},
      {"gemm", "*", "tf", {.epochs = 80}},
      {"rowwise", "*", "", {.hidden = {64, 32}, .epochs = 80, .batch_rows = 128}},
      {"elementwise", "*", "", {.hidden = {64, 32}}},
      {"streaming", "*", "", {.hidden = {64, 32}, .epochs = 80, .batch_rows = 128}},
      {"recurrent",
       "*",
       "",
       {.hidden = {64, 32}, .epochs = 60, .batch_rows = 32, .learning_rate = 5e-3, .weight_decay = 0.1},
       4},
  };
  return kPlans;
}

// Few rows, as a user's own campaign has, are gone over more often, in smaller parts and by more members.
void suit_few_rows(PlannedNetwork& network) {
  constexpr int kFewRows = 8000;
  constexpr int kLeastMembers = 4;
  constexpr int kLeastPartsOfEpoch = 16;
  constexpr int kLeastBatch = 16;
  constexpr int kLeastSteps = 1500;
  const int rows = static_cast<int>(network.samples.size());
  TrainingOptions& options = network.options;
  options.batch_rows = std::min(options.batch_rows, std::max(rows / kLeastPartsOfEpoch, kLeastBatch));
  const int steps_of_epoch = std::max(rows / options.batch_rows, 1);
  options.epochs = std::max(options.epochs, kLeastSteps / steps_of_epoch);
  if (rows < kFewRows) network.members = std::max(network.members, kLeastMembers);
}

bool takes(const NetworkPlan& plan, std::string_view stack) {
  if (plan.stack_group != "*") return stack.starts_with(plan.stack_group);
  return plan.left_out.empty() || !stack.starts_with(plan.left_out);
}

}  // namespace

std::vector<PlannedNetwork> plan_networks(const SampleSet& set, const std::vector<std::size_t>& samples) {
  std::vector<PlannedNetwork> networks;
  for (const NetworkPlan& plan : plans()) {
    PlannedNetwork network{
        std::string(plan.family), std::string(plan.stack_group), plan.options, plan.members, {}};
    for (const std::size_t i : samples) {
      const Sample& sample = set.samples[i];
      if (sample.family->name == plan.family &&
          takes(plan, set.stacks[static_cast<std::size_t>(sample.stack)])) {
        network.samples.push_back(i);
      }
    }
    // All rows are of the stack that had its own network just before.
    const bool same_rows = !networks.empty() && networks.back().family == network.family &&
                           networks.back().samples.size() == network.samples.size();
    if (network.samples.empty() || same_rows) continue;
    suit_few_rows(network);
    networks.push_back(std::move(network));
  }
  return networks;
}

}  // namespace layersim
