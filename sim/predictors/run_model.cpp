#include "sim/predictors/run_model.h"

#include <algorithm>
#include <cmath>

namespace layersim {
namespace {

double value(const OverheadLogs& logs, Overhead overhead) {
  return std::exp(logs[static_cast<std::size_t>(overhead)]);
}

std::optional<double> interval_half_width(const RunModel& model, std::string_view stack, RunNovelty novelty) {
  std::optional<double> half_width;
  std::size_t longest = 0;
  for (const RunInterval& interval : model.intervals) {
    // The narrowest pattern that fits; the empty one stands for all.
    if (!names_stack(interval.stack, stack) || interval.novelty != novelty) continue;
    if (half_width && interval.stack.size() < longest) continue;
    longest = interval.stack.size();
    half_width = interval.half_width;
  }
  return half_width;
}

}  // namespace

const OverheadLogs& prior_overheads() {
  static const OverheadLogs kPrior{std::log(1.0), std::log(0.008), std::log(1 / 5e6),
                                   std::log(1.0), std::log(0.003), std::log(0.008)};
  return kPrior;
}

std::string framework_pattern(std::string_view stack) {
  const auto digit = stack.find_first_of("0123456789");
  // "torch7" is another program than "torch".
  if (digit == std::string_view::npos || stack.find('.') == std::string_view::npos)
    return std::string(stack) + '*';
  return std::string(stack.substr(0, digit)) + '*';
}

bool names_stack(std::string_view pattern, std::string_view stack) {
  if (pattern.ends_with('*')) return stack.starts_with(pattern.substr(0, pattern.size() - 1));
  return pattern.empty() || pattern == stack;
}

std::string specialist_group(std::string_view stacks) {
  return std::string(kRunsGroup) + ' ' + std::string(stacks);
}

bool applies(const OverheadShift& shift, std::string_view gpu, std::string_view stack) {
  return names_stack(shift.stack, stack) && (shift.gpu.empty() || shift.gpu == gpu);
}

const TrainedNetwork* RunModel::network(std::string_view family) const {
  for (const TrainedNetwork& candidate : networks) {
    if (candidate.family == family) return &candidate;
  }
  return nullptr;
}

bool RunModel::knows(std::string_view gpu, std::string_view stack) const {
  return std::any_of(known.begin(), known.end(), [&](const KnownRuns& runs) {
    return runs.gpu == gpu && runs.stack == stack && runs.runs > 0;
  });
}

bool RunModel::stack_has(std::string_view stack, std::string_view family) const {
  if (specialists.empty()) return true;  // which tell families
  return std::any_of(specialists.begin(), specialists.end(), [&](const RunModel& specialist) {
    return std::any_of(specialist.known.begin(), specialist.known.end(), [&](const KnownRuns& runs) {
      return runs.stack == stack && (runs.family.empty() || runs.family == family);
    });
  });
}

bool RunModel::is_new(const std::optional<WeightShape>& weights, std::string_view gpu) const {
  if (!weights || weight_shapes.empty()) return false;
  const auto has_it = [&](const std::vector<WeightShape>& shapes) {
    return std::binary_search(shapes.begin(), shapes.end(), *weights);
  };
  const auto of_device = weight_shapes.find(gpu);
  if (of_device != weight_shapes.end()) return !has_it(of_device->second);
  return std::none_of(weight_shapes.begin(), weight_shapes.end(),
                      [&](const auto& device) { return has_it(device.second); });
}

const TrainedNetwork* RunModel::network(std::string_view family, std::string_view gpu,
                                        std::string_view stack) const {
  const RunModel& of_machine = specialist(gpu, stack);
  const bool answers =
      std::any_of(of_machine.known.begin(), of_machine.known.end(), [&](const KnownRuns& runs) {
        return runs.gpu == gpu && runs.stack == stack && (runs.family.empty() || runs.family == family);
      });
  return (answers ? of_machine : *this).network(family);
}

const RunModel& RunModel::specialist(std::string_view gpu, std::string_view stack) const {
  const auto found = std::find_if(specialists.begin(), specialists.end(),
                                  [&](const RunModel& candidate) { return candidate.knows(gpu, stack); });
  return found == specialists.end() ? *this : *found;
}

OverheadLogs overheads(const RunModel& model, std::string_view gpu, std::string_view stack) {
  OverheadLogs logs = prior_overheads();
  for (const OverheadShift& shift : model.specialist(gpu, stack).shifts) {
    if (!applies(shift, gpu, stack)) continue;
    for (std::size_t i = 0; i < kOverheads; ++i) logs[i] += shift.shift[i];
  }
  return logs;
}

double batch_ms(const RunModel& model, const Conditions& conditions, double device_ms, const HostWork& host) {
  const OverheadLogs logs = overheads(model, conditions.device->key, conditions.stack);
  const double host_ms = value(logs, Overhead::step) + host.kernels * value(logs, Overhead::launch) +
                         host.update_kernels * value(logs, Overhead::update_launch);
  const double longer_ms = std::max(device_ms, host_ms);
  const double p = model.specialist(conditions.device->key, conditions.stack).smoothness;
  const double both_ms =
      longer_ms * std::pow(std::pow(device_ms / longer_ms, p) + std::pow(host_ms / longer_ms, p), 1 / p);
  return both_ms + host.input_bytes * value(logs, Overhead::copy);
}

double run_half_width(const RunModel& model, std::string_view stack, RunNovelty novelty) {
  static const double kUnknown = std::log(2.0);  // half to twice the time: no run was left out to tell
  const std::optional<double> own = interval_half_width(model, stack, novelty);
  if (own || novelty == RunNovelty::device) return own.value_or(kUnknown);
  // Of one of both there were too few runs for an interval.
  const bool has_new_layers = novelty == RunNovelty::layers;
  return interval_half_width(model, stack, has_new_layers ? RunNovelty::none : RunNovelty::layers)
      .value_or(kUnknown);
}

}  // namespace layersim
