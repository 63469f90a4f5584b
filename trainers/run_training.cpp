#include "trainers/run_training.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <mutex>
#include <set>
#include <tuple>

#include "sim/core/error.h"
#include "sim/core/parallel.h"
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

// Each holds the features of all runs and layers: some hundred MiB.
constexpr int kMostThreads = 8;

// Of the model for devices without runs.
constexpr double kNewDeviceCorrectionWeight = 3e-3;
// The specialist for known devices: larger networks, trained so many times as long. On devices left out
// they would do worse.
constexpr const char* kAllStacks = "*";
constexpr std::array<int, 2> kKnownDeviceHidden{96, 64};
constexpr int kKnownDeviceEpochs = 4;

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

// Folds of groups with about as many runs in each: the largest groups first, each to the smallest fold. With
// 0 folds each group has its own.
std::map<std::string, int> deal_groups(const RunSet& set, LeaveOut leave_out, int folds) {
  std::map<std::string, std::size_t> sizes;
  for (const MeasuredRun& run : set.runs) {
    if (!run.is_layer) ++sizes[group_of(set, run, leave_out)];
  }
  std::vector<std::pair<std::size_t, std::string>> order;
  order.reserve(sizes.size());
  for (const auto& [group, size] : sizes) order.emplace_back(size, group);
  std::sort(order.rbegin(), order.rend());
  std::vector<std::size_t> loads(folds == 0 ? order.size() : static_cast<std::size_t>(folds), 0);
  std::map<std::string, int> fold_of;
  for (const auto& [size, group] : order) {
    const auto smallest = std::min_element(loads.begin(), loads.end());
    *smallest += size;
    fold_of[group] = static_cast<int>(smallest - loads.begin());
  }
  return fold_of;
}

// A run model or specialist from these runs and layers. With the full view of devices it needs no factors.
RunModel fit_model(const RunSet& set, const std::string& stacks, const std::vector<std::size_t>& training,
                   const RunTrainer& trainer, const RunTrainSettings& settings, const std::string& what,
                   const RunTrainReport& report) {
  RunTrainingTask task;
  task.set = &set;
  task.options = settings.options;
  RunModel model;
  model.stacks = stacks;
  const bool is_general = stacks.empty();
  for (const std::size_t i : training) {
    const MeasuredRun& run = set.runs[i];
    if (!run.is_layer) task.runs.push_back(i);
    // Operators within networks make the errors of devices left out larger.
    if (run.is_layer && (run.network.empty() || !is_general)) task.layers.push_back(i);
  }
  if (task.runs.empty()) throw bad_use("there are no whole runs to train on");
  const DeviceView view = is_general ? DeviceView::transferable : DeviceView::full;
  if (is_general) {
    // Its priors tell a machine from what it has in common with others; a machine that is hidden now and then
    // would hand its oddities to its stack.
    task.options.device_dropout = 0;
    task.options.correction_weight = std::max(task.options.correction_weight, kNewDeviceCorrectionWeight);
  }
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

// Devices and stacks of whole runs, each with the families of parts that occur in them.
std::vector<KnownRuns> trained_runs(const RunSet& set, const std::vector<std::size_t>& training) {
  std::map<std::tuple<std::string, std::string, std::int32_t>, std::int64_t> counts;
  for (const std::size_t i : training) {
    const MeasuredRun& run = set.runs[i];
    if (run.is_layer) continue;
    std::set<std::int32_t> families;
    for (const PartCount& part : run.parts) families.insert(part.family);
    for (const std::int32_t family : families)
      ++counts[{set.setting(run).device->key, set.setting(run).stack, family}];
  }
  std::vector<KnownRuns> known;
  for (const auto& [machine, count] : counts) {
    const auto& [gpu, stack, family] = machine;
    KnownRuns& runs = known.emplace_back();
    runs.gpu = gpu;
    runs.stack = stack;
    runs.runs = count;
    runs.family = set.parts[static_cast<std::size_t>(family)].family->name;
  }
  return known;
}

// Of the layers of whole runs, by device.
std::map<std::string, std::vector<WeightShape>, std::less<>> weight_shapes(
    const RunSet& set, const std::vector<std::size_t>& training) {
  std::map<std::string, std::set<WeightShape>> shapes;
  for (const std::size_t i : training) {
    const MeasuredRun& run = set.runs[i];
    if (run.is_layer) continue;
    for (const PartCount& part : run.parts) {
      if (const auto& weights = set.weights(part)) shapes[set.setting(run).device->key].insert(*weights);
    }
  }
  std::map<std::string, std::vector<WeightShape>, std::less<>> by_device;
  for (const auto& [device, of_device] : shapes) by_device[device] = {of_device.begin(), of_device.end()};
  return by_device;
}

bool has_several(const RunSet& set, LeaveOut leave_out) { return deal_groups(set, leave_out, 0).size() > 1; }

// Networks of families that no run and no layer has.
void leave_out_untrained(const RunSet& set, RunModel& model) {
  const auto is_untrained = [&](const TrainedNetwork& network) {
    return std::any_of(set.parts.begin(), set.parts.end(), [&](const PartRows& part) {
      return part.family->name == network.family && part.rows() == 0;
    });
  };
  std::erase_if(model.networks, is_untrained);
  for (RunModel& specialist : model.specialists) std::erase_if(specialist.networks, is_untrained);
}

struct Fold {
  std::vector<std::size_t> training, test;
};

std::vector<Fold> split(const RunSet& set, LeaveOut leave_out, int folds) {
  const std::map<std::string, int> fold_of = deal_groups(set, leave_out, folds);
  int count = 0;
  for (const auto& [group, fold] : fold_of) count = std::max(count, fold + 1);
  std::vector<Fold> all(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < set.runs.size(); ++i) {
    // Layers timed by themselves tell of devices and of no network: without a device in common, they take
    // turns.
    const bool in_turn = set.runs[i].is_layer && set.runs[i].network.empty() && leave_out != LeaveOut::gpu;
    const auto found = in_turn ? fold_of.end() : fold_of.find(group_of(set, set.runs[i], leave_out));
    const int test = in_turn ? static_cast<int>(i % all.size()) : found == fold_of.end() ? -1 : found->second;
    for (int fold = 0; fold < count; ++fold) {
      Fold& of_fold = all[static_cast<std::size_t>(fold)];
      (fold == test ? of_fold.test : of_fold.training).push_back(i);
    }
  }
  return all;
}

}  // namespace

std::span<const std::string_view> leave_out_names() { return kLeaveOuts; }
std::string_view name(LeaveOut leave_out) { return kLeaveOuts.at(static_cast<std::size_t>(leave_out)); }

RunModel fit_runs(const RunSet& set, const std::vector<std::size_t>& training, const RunTrainer& trainer,
                  const RunTrainSettings& settings, const std::string& what, const RunTrainReport& report) {
  RunModel model = fit_model(set, "", training, trainer, settings, what, report);
  model.known = trained_runs(set, training);
  model.weight_shapes = weight_shapes(set, training);
  if (settings.has_known_devices) {
    RunTrainSettings of_known = settings;
    of_known.options.hidden.assign(kKnownDeviceHidden.begin(), kKnownDeviceHidden.end());
    of_known.options.epochs *= kKnownDeviceEpochs;
    model.specialists.push_back(
        fit_model(set, kAllStacks, training, trainer, of_known, what + ", known devices", report));
    model.specialists.back().known = model.known;
  }
  return model;
}

std::vector<HeldOutRun> cross_validate(const RunSet& set, LeaveOut leave_out, const RunTrainer& trainer,
                                       const RunTrainSettings& settings, const RunTrainReport& report) {
  if (!has_several(set, leave_out))
    throw bad_use("the runs are all of one " + std::string(name(leave_out)) + ": none can be left out");
  const std::vector<Fold> folds = split(set, leave_out, settings.folds);
  RunTrainSettings of_fold = settings;
  if (leave_out == LeaveOut::gpu) of_fold.has_known_devices = false;  // a new device is not known
  std::mutex reporting;
  std::vector<std::vector<RunPrediction>> predicted(folds.size());
  parallel_for(folds.size(), std::min(hardware_threads(), kMostThreads), [&](std::size_t i) {
    const std::string what = std::string(name(leave_out)) + " left out, fold " + std::to_string(i + 1) +
                             " of " + std::to_string(folds.size());
    const RunModel model = fit_runs(set, folds[i].training, trainer, of_fold, what,
                                    [&](const std::string& part, const RunProgress& progress) {
                                      const std::lock_guard lock(reporting);
                                      report(part, progress);
                                    });
    predicted[i] = predict_runs(model, set, folds[i].test);
  });
  std::vector<HeldOutRun> held_out;
  for (std::size_t i = 0; i < folds.size(); ++i) {
    for (std::size_t k = 0; k < folds[i].test.size(); ++k)
      held_out.push_back({folds[i].test[k], predicted[i][k]});
  }
  return held_out;
}

TrainedRuns train_runs(const RunSet& set, const RunTrainer& trainer, const RunTrainSettings& settings,
                       const RunTrainReport& report) {
  TrainedRuns trained;
  if (has_several(set, LeaveOut::network))
    trained.networks = cross_validate(set, LeaveOut::network, trainer, settings, report);
  if (has_several(set, LeaveOut::gpu))
    trained.devices = cross_validate(set, LeaveOut::gpu, trainer, settings, report);
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < set.runs.size(); ++i) all.push_back(i);
  trained.model = fit_runs(set, all, trainer, settings, "runs", report);
  add_layer_intervals(set, trained.networks, trained.model);
  add_intervals(set, trained.networks, false, trained.model);
  add_intervals(set, trained.devices, true, trained.model);
  trained.model.known = known_runs(set, trained.networks, trained.model);
  leave_out_untrained(set, trained.model);
  return trained;
}

}  // namespace layersim
