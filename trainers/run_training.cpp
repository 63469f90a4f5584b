#include "trainers/run_training.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "sim/core/error.h"
#include "sim/features/transferable_features.h"
#include "trainers/part_matrix.h"
#include "trainers/run_error.h"

namespace layersim {
namespace {

constexpr std::array<std::string_view, 3> kLeaveOuts{"network", "family", "gpu"};

// Deviations of the priors of overheads, in logarithms and in the order of Overhead: of all from the prior,
// of a framework from all, of a version of it, of a machine. How fast inputs are copied, and whether they are
// at all, is a matter of machine and benchmark.
constexpr std::array<double, kOverheads> kAllDeviation{1.5, 1.5, 0.3, 1.5, 1.5, 1.5};
constexpr std::array<double, kOverheads> kFrameworkDeviation{1.0, 1.0, 0.3, 1.0, 1.0, 1.0};
constexpr std::array<double, kOverheads> kStackDeviation{0.3, 0.3, 1.0, 0.3, 0.3, 0.3};
constexpr std::array<double, kOverheads> kMachineDeviation{0.4, 0.4, 0.8, 0.4, 0.4, 0.4};

// Priors of the weights of factors. A clock goes down with the root or the third root of the power. What a
// generation's devices have in common and what one device has for itself are about as large: with one device
// of it measured, half of that one's deviation counts for the others.
constexpr FactorPlan kMicroarchitecture{.arithmetic_mean = 0, .deviation = 0.4};
constexpr FactorPlan kIssueLimit{.arithmetic_mean = 1, .deviation = 0.3};
constexpr FactorPlan kPowerExcess{.arithmetic_mean = 0.4, .deviation = 0.2};
constexpr FactorPlan kMachine{.arithmetic_mean = 0, .deviation = 0.28};

// Of the model for devices without runs.
constexpr double kNewDeviceDropout = 0.3;
// The specialist of all runs.
constexpr const char* kAllStacks = "*";

// So many times as long a specialist is trained: it has fewer runs and no layers.
constexpr int kSpecialistEpochs = 2;

const std::string& group_of(const RunSet& set, const MeasuredRun& run, LeaveOut leave_out) {
  if (leave_out == LeaveOut::network) return run.network;
  if (leave_out == LeaveOut::family) return run.network_family;
  return set.setting(run).device->key;
}

std::vector<ShiftPlan> plan_shifts(const RunSet& set, const std::vector<std::size_t>& runs) {
  std::set<std::string> frameworks, stacks;
  std::set<std::pair<std::string, std::string>> machines;
  for (const std::size_t i : runs) {
    const RunSetting& setting = set.setting(set.runs[i]);
    frameworks.insert(framework_pattern(setting.stack));
    stacks.insert(setting.stack);
    machines.insert({setting.stack, setting.device->key});
  }
  std::vector<ShiftPlan> shifts{{"", "", kAllDeviation}};
  for (const std::string& framework : frameworks) shifts.push_back({framework, "", kFrameworkDeviation});
  for (const std::string& stack : stacks) shifts.push_back({stack, "", kStackDeviation});
  for (const auto& [stack, gpu] : machines) shifts.push_back({stack, gpu, kMachineDeviation});
  return shifts;
}

// As machine_factors() has them.
std::vector<FactorPlan> plan_factors(std::size_t machines) {
  std::vector<FactorPlan> plans;
  for (const FeatureSpec& factor : device_factor_specs()) {
    plans.push_back(factor.name == "issue_limit"    ? kIssueLimit
                    : factor.name == "power_excess" ? kPowerExcess
                                                    : kMicroarchitecture);
  }
  plans.insert(plans.end(), machines, kMachine);
  return plans;
}

// The frame of a network for a family of parts: all but its weights.
TrainedNetwork frame(const RunSet& set, std::size_t family, const std::vector<std::size_t>& training,
                     const std::string& stack_group, DeviceView view) {
  TrainedNetwork network;
  network.family = set.parts[family].family->name;
  network.stack_group = stack_group;
  network.device_view = view;
  std::set<std::string> gpus, stacks;
  std::set<std::pair<std::string, std::string>> machines;
  for (const std::size_t i : training) {
    const RunSetting& setting = set.setting(set.runs[i]);
    gpus.insert(setting.device->key);
    machines.insert({setting.stack, setting.device->key});
    stacks.insert(setting.stack);
    stacks.insert(framework_pattern(setting.stack));
  }
  network.gpus.assign(gpus.begin(), gpus.end());
  network.stacks.assign(stacks.begin(), stacks.end());
  if (view == DeviceView::transferable) {
    for (const auto& [stack, gpu] : machines) network.machines.push_back({stack, gpu});
  }
  measure_parts(set, family, training, network);
  return network;
}

// Folds of groups with about as many runs in each: the largest groups first, each to the smallest fold.
std::map<std::string, int> deal_groups(const RunSet& set, LeaveOut leave_out, int folds) {
  std::map<std::string, std::size_t> sizes;
  for (const MeasuredRun& run : set.runs) {
    if (!run.is_layer) ++sizes[group_of(set, run, leave_out)];
  }
  std::vector<std::pair<std::size_t, std::string>> order;
  for (const auto& [group, size] : sizes) order.emplace_back(size, group);
  std::sort(order.rbegin(), order.rend());
  std::vector<std::size_t> loads(static_cast<std::size_t>(folds), 0);
  std::map<std::string, int> fold_of;
  for (const auto& [size, group] : order) {
    const auto smallest = std::min_element(loads.begin(), loads.end());
    *smallest += size;
    fold_of[group] = static_cast<int>(smallest - loads.begin());
  }
  return fold_of;
}

// Of whole runs.
int count_devices(const RunSet& set) {
  std::set<std::string> gpus;
  for (const MeasuredRun& run : set.runs) {
    if (!run.is_layer) gpus.insert(set.setting(run).device->key);
  }
  return static_cast<int>(gpus.size());
}

// A run model or specialist from these runs and layers. With the full view of devices it needs no factors.
RunModel fit_model(const RunSet& set, const std::string& stacks, const std::vector<std::size_t>& training,
                   const RunTrainer& trainer, const RunTrainSettings& settings, const std::string& what,
                   const RunTrainReport& report) {
  RunTrainingTask task;
  task.set = &set;
  task.options = settings.options;
  for (const std::size_t i : training) (set.runs[i].is_layer ? task.layers : task.runs).push_back(i);
  if (task.runs.empty()) throw bad_use("there are no whole runs to train on");
  RunModel model;
  model.stacks = stacks;
  const bool is_general = stacks.empty();
  const DeviceView view = is_general ? DeviceView::transferable : DeviceView::full;
  if (is_general) task.options.device_dropout = kNewDeviceDropout;
  const std::string stack_group = is_general ? kRunsGroup : specialist_group(stacks);
  for (std::size_t f = 0; f < set.parts.size(); ++f) {
    model.networks.push_back(frame(set, f, training, stack_group, view));
    task.parts.push_back(make_part_matrix(set, f, model.networks.back()));
  }
  task.shifts = plan_shifts(set, training);
  for (const ShiftPlan& shift : task.shifts) model.shifts.push_back({shift.stack, shift.gpu, {}});
  if (is_general) task.factors = plan_factors(model.networks.front().machines.size());
  task.prior = prior_overheads();
  for (const RunSetting& setting : set.settings) {
    if (is_general) {
      task.factors_of_setting.push_back(
          machine_factors(setting.conditions(), model.networks.front().machines));
    }
    std::vector<std::int64_t>& of_setting = task.shifts_of_setting.emplace_back();
    for (std::size_t i = 0; i < model.shifts.size(); ++i) {
      if (applies(model.shifts[i], setting.device->key, setting.stack))
        of_setting.push_back(static_cast<std::int64_t>(i));
    }
  }
  model.smoothness = 0;
  for (int member = 0; member < settings.members; ++member) {
    task.options.seed = settings.options.seed + static_cast<std::uint64_t>(member);
    const RunFit fit = trainer.train(task, [&](const RunProgress& progress) { report(what, progress); });
    for (std::size_t f = 0; f < set.parts.size(); ++f) {
      TrainedNetwork& network = model.networks[f];
      network.members.push_back(fit.networks[f]);
      network.factor_weights.resize(fit.factor_weights[f].size(), 0.0F);
      for (std::size_t i = 0; i < network.factor_weights.size(); ++i)
        network.factor_weights[i] += fit.factor_weights[f][i] / static_cast<float>(settings.members);
    }
    model.smoothness += fit.smoothness / settings.members;
    for (std::size_t s = 0; s < model.shifts.size(); ++s) {
      for (std::size_t k = 0; k < kOverheads; ++k)
        model.shifts[s].shift[k] += fit.shifts[s][k] / settings.members;
    }
  }
  return model;
}

// Which devices and stacks were trained on.
std::vector<KnownRuns> trained_runs(const RunSet& set, const std::vector<std::size_t>& training) {
  std::map<std::pair<std::string, std::string>, std::int64_t> counts;
  for (const std::size_t i : training) {
    const RunSetting& setting = set.setting(set.runs[i]);
    if (!set.runs[i].is_layer) ++counts[{setting.device->key, setting.stack}];
  }
  std::vector<KnownRuns> known;
  for (const auto& [machine, count] : counts) {
    known.push_back(
        {.gpu = machine.first, .stack = machine.second, .precision = {}, .mode = {}, .runs = count});
  }
  return known;
}

}  // namespace

std::span<const std::string_view> leave_out_names() { return kLeaveOuts; }
std::string_view name(LeaveOut leave_out) { return kLeaveOuts.at(static_cast<std::size_t>(leave_out)); }

RunModel fit_runs(const RunSet& set, const std::vector<std::size_t>& training, const RunTrainer& trainer,
                  const RunTrainSettings& settings, const std::string& what, const RunTrainReport& report) {
  RunModel model = fit_model(set, "", training, trainer, settings, what, report);
  model.known = trained_runs(set, training);
  RunTrainSettings of_specialist = settings;
  of_specialist.options.epochs *= kSpecialistEpochs;
  std::map<std::string, std::vector<std::size_t>> frameworks;
  for (const std::size_t i : training) {
    if (!set.runs[i].is_layer) frameworks[framework_pattern(set.setting(set.runs[i]).stack)].push_back(i);
  }
  for (const auto& [stacks, runs] : frameworks) {
    const auto& wanted = settings.specialists;
    if (std::find(wanted.begin(), wanted.end(), stacks) == wanted.end()) continue;
    std::vector<KnownRuns> answered = trained_runs(set, runs);
    std::map<std::string, std::int64_t> of_stack;
    for (const KnownRuns& known : answered) of_stack[known.stack] += known.runs;
    std::erase_if(answered, [&](const KnownRuns& known) {
      return of_stack.at(known.stack) < settings.specialist_runs;
    });
    if (answered.empty()) continue;
    RunModel& specialist = model.specialists.emplace_back(
        fit_model(set, stacks, runs, trainer, of_specialist, what + ", " + stacks + " alone", report));
    specialist.known = std::move(answered);
  }
  if (settings.has_known_devices) {
    RunModel& of_known = model.specialists.emplace_back(
        fit_model(set, kAllStacks, training, trainer, settings, what + ", known devices", report));
    of_known.known = model.known;
  }
  return model;
}

std::vector<HeldOutRun> cross_validate(const RunSet& set, LeaveOut leave_out, const RunTrainer& trainer,
                                       const RunTrainSettings& settings, const RunTrainReport& report) {
  const int folds = leave_out == LeaveOut::gpu ? count_devices(set) : settings.folds;  // one at a time
  const std::map<std::string, int> fold_of = deal_groups(set, leave_out, folds);
  RunTrainSettings of_fold = settings;
  of_fold.members = 1;               // a mean of several does a little better
  if (leave_out == LeaveOut::gpu) {  // a new device has no specialists
    of_fold.specialists.clear();
    of_fold.has_known_devices = false;
  }
  std::vector<HeldOutRun> held_out;
  for (int fold = 0; fold < folds; ++fold) {
    std::vector<std::size_t> training, test;
    for (std::size_t i = 0; i < set.runs.size(); ++i) {
      const MeasuredRun& run = set.runs[i];
      // Layers tell of devices and of no network: without a device in common, they take turns.
      const bool grouped = !run.is_layer || leave_out == LeaveOut::gpu;
      const auto found = grouped ? fold_of.find(group_of(set, run, leave_out)) : fold_of.end();
      const bool in_fold = found == fold_of.end() ? false : found->second == fold;
      const bool in_turn = !grouped && static_cast<int>(i % static_cast<std::size_t>(folds)) == fold;
      (in_fold || in_turn ? test : training).push_back(i);
    }
    if (test.empty()) continue;
    const std::string what = std::string(name(leave_out)) + " left out, fold " + std::to_string(fold + 1) +
                             " of " + std::to_string(folds);
    const RunModel model = fit_runs(set, training, trainer, of_fold, what, report);
    const std::vector<double> predicted_ms = predict_runs(model, set, test);
    for (std::size_t i = 0; i < test.size(); ++i) held_out.push_back({test[i], predicted_ms[i]});
  }
  return held_out;
}

TrainedRuns train_runs(const RunSet& set, const RunTrainer& trainer, const RunTrainSettings& settings,
                       const RunTrainReport& report) {
  TrainedRuns trained;
  trained.networks = cross_validate(set, LeaveOut::network, trainer, settings, report);
  trained.devices = cross_validate(set, LeaveOut::gpu, trainer, settings, report);
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < set.runs.size(); ++i) all.push_back(i);
  trained.model = fit_runs(set, all, trainer, settings, "runs", report);
  add_layer_intervals(set, trained.networks, trained.model);
  add_intervals(set, trained.networks, true, trained.model);
  add_intervals(set, trained.devices, false, trained.model);
  trained.model.known = known_runs(set, trained.networks, trained.model);
  return trained;
}

}  // namespace layersim
