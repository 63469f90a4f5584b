#include "sim/cli/hybrid_warnings.h"

#include <algorithm>
#include <map>
#include <utility>

#include "sim/report/readable_text.h"

namespace layersim {
namespace {

using Machine = std::pair<std::string, Precision>;  // GPU

std::string text_of(const Machine& machine) {
  return machine.first + " in " + std::string(name(machine.second));
}

std::map<Machine, ConvCounts> counts_by_machine(const std::vector<HybridStep>& steps) {
  std::map<Machine, ConvCounts> counts;
  for (const HybridStep& step : steps) counts[{step.gpu, step.precision}] += step.convolutions;
  return counts;
}

// "3 with an activation, 1 of kind 'dense'"; rows of other kinds only where no row gives a time.
std::string left_out_text(const ConvTimes& stored) {
  std::vector<std::string> reasons;
  for (const auto& [reason, rows] : stored.left_out()) {
    if (stored.rows() > 0 && reason.starts_with("of kind")) continue;
    reasons.push_back(with_thousands(static_cast<double>(rows)) + ' ' + reason);
  }
  return name_list(reasons);
}

// What the store has instead: other precisions of the GPU, else other GPUs.
std::string stored_text(const ConvTimes& stored, const std::string& gpu) {
  std::vector<std::string> precisions;
  std::vector<std::string> gpus;
  for (const auto& [other, precision] : stored.machines()) {
    if (other == gpu) precisions.emplace_back(name(precision));
    if (gpus.empty() || gpus.back() != other) gpus.push_back(other);
  }
  if (gpus.empty()) return "";
  return " (it has some " + (precisions.empty() ? "of " + name_list(gpus) : "in " + name_list(precisions)) +
         ')';
}

}  // namespace

void warn_of_unused_rows(const std::string& file, const ConvTimes& stored,
                         const std::vector<HybridStep>& steps, Warnings& warnings) {
  const auto counts = counts_by_machine(steps);
  const bool lacks =
      std::any_of(counts.begin(), counts.end(), [](const auto& entry) { return entry.second.predicted > 0; });
  if (const std::string reasons = left_out_text(stored); lacks && !reasons.empty())
    warnings.add(file + ": these rows give no time of a convolution: " + reasons);
  for (const auto& [machine, of_machine] : counts) {
    if (of_machine.incomplete > 0)
      warnings.add(file + ": of " + with_thousands(of_machine.incomplete) + " convolutions of " +
                   text_of(machine) + " it has not all passes that a step runs, forward and backward");
  }
}

void warn_of_basis(const std::string& file, const ConvTimes& stored, const HybridModel& model,
                   const std::vector<HybridStep>& steps, Warnings& warnings) {
  const auto machines = stored.machines();
  for (const auto& [machine, counts] : counts_by_machine(steps)) {
    if (counts.predicted <= 0 || counts.stored > 0 || counts.incomplete > 0) continue;
    if (!machines.contains(machine)) {
      warnings.add(file + ": has no convolutions of " + text_of(machine) +
                   stored_text(stored, machine.first) + ": their times are predicted");
    } else {
      warnings.add(file + ": has other convolutions of " + text_of(machine) +
                   " than those of the network: their times are predicted");
    }
  }
  for (const HybridStep& step : steps) {
    for (const std::string& text : step.predicted) warnings.add("predicted convolutions: " + text);
    if (std::find(model.gpus.begin(), model.gpus.end(), step.gpu) == model.gpus.end())
      warnings.add("the predictor has no runs of " + step.gpu +
                   ": the rest of a step is a guess by its data sheet");
    if (step.mode == Mode::forward && !model.tells_modes())
      warnings.add(
          "the predictor does not tell a forward pass from a training step, as it would had it learned from "
          "both: it may have no runs in mode forward, and the rest of one is a guess");
    for (const std::string& warning : step.network_warnings) warnings.add(step.network + ": " + warning);
  }
}

}  // namespace layersim
