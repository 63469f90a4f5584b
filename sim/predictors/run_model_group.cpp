// The overheads of a run model, their intervals and errors as a group of a predictor file. Its networks have
// groups of their own.

#include <algorithm>
#include <array>

#include "sim/predictors/group_fields.h"
#include "sim/predictors/predictor_groups.h"

namespace layersim {
namespace {

constexpr std::array<std::string_view, 3> kNovelties{"known", "new layers", "new"};  // as RunNovelty
constexpr std::size_t kWeightSizes = 7;

RunNovelty novelty_of(const std::string& name) {
  const auto found = std::find(kNovelties.begin(), kNovelties.end(), name);
  if (found == kNovelties.end()) throw bad_input("there are no intervals of '" + name + "' runs");
  return static_cast<RunNovelty>(found - kNovelties.begin());
}

void write_weight_shapes(const RunModel& model, ArrayGroup& group) {
  std::vector<std::string> devices;
  StoredArray& shapes = group.arrays["weight_shapes"];
  shapes.columns = kWeightSizes + 1;  // index of the device, sizes
  for (const auto& [device, of_device] : model.weight_shapes) {
    for (const WeightShape& s : of_device) {
      append(shapes, {static_cast<double>(devices.size())});
      for (const std::int64_t size :
           {s.out_channels, s.in_channels, s.groups, s.kernel_d, s.kernel_h, s.kernel_w, s.stride})
        append(shapes, {static_cast<double>(size)});
    }
    devices.push_back(device);
  }
  group.set_lines("weight_shapes_of", devices);
}

void read_weight_shapes(const ArrayGroup& group, RunModel& model) {
  const std::vector<std::string> devices = group.lines("weight_shapes_of");
  const StoredArray& shapes = group.array("weight_shapes");
  const std::size_t count = shapes.values.size() / (kWeightSizes + 1);
  expect_size(shapes, "weight_shapes", count, kWeightSizes + 1);
  for (std::size_t i = 0; i < count; ++i) {
    const auto size = [&](std::size_t column) {
      return static_cast<std::int64_t>(value_at(shapes, i, column));
    };
    const auto device = static_cast<std::size_t>(size(0));
    if (device >= devices.size())
      throw bad_input("weight_shapes names device " + std::to_string(device) + " of " +
                      std::to_string(devices.size()));
    model.weight_shapes[devices[device]].push_back(
        {size(1), size(2), size(3), size(4), size(5), size(6), size(7)});
  }
  for (auto& [device, of_device] : model.weight_shapes) std::sort(of_device.begin(), of_device.end());
}

}  // namespace

ArrayGroup write_runs(const RunModel& model) {
  ArrayGroup group;
  std::vector<std::string> specialists;
  for (const RunModel& specialist : model.specialists) specialists.push_back(specialist.stacks);
  if (!specialists.empty()) group.set_lines("specialists", specialists);
  group.arrays["smoothness"].values = {static_cast<float>(model.smoothness)};
  std::vector<std::string> shifts;
  StoredArray& values = group.arrays["overhead_shifts"];
  values.columns = kOverheads;
  for (const OverheadShift& shift : model.shifts) {
    shifts.push_back(join({shift.stack.empty() ? "*" : shift.stack, shift.gpu.empty() ? "*" : shift.gpu}));
    for (const double value : shift.shift) append(values, {value});
  }
  group.set_lines("overhead_shifts_of", shifts);
  std::vector<std::string> intervals;
  StoredArray& widths = group.arrays["intervals"];
  for (const RunInterval& interval : model.intervals) {
    intervals.push_back(join({interval.stack.empty() ? "*" : interval.stack,
                              kNovelties.at(static_cast<std::size_t>(interval.novelty))}));
    append(widths, {interval.half_width});
  }
  group.set_lines("intervals_of", intervals);
  std::vector<std::string> known, families;
  StoredArray& errors = group.arrays["known_runs"];
  errors.columns = 4;  // runs, held-out runs, their MAPE, share inside the interval
  for (const KnownRuns& runs : model.known) {
    known.push_back(join({runs.gpu, runs.stack, runs.precision, runs.mode}));
    if (!runs.family.empty()) families.push_back(runs.family);
    append(errors, {static_cast<double>(runs.runs), static_cast<double>(runs.held_out_runs),
                    runs.held_out_mape, runs.held_out_coverage});
  }
  group.set_lines("known_runs_of", known);
  if (!families.empty()) group.set_lines("known_families", families);
  if (!model.weight_shapes.empty()) write_weight_shapes(model, group);
  return group;
}

std::vector<std::string> specialists_of(const ArrayGroup& group) {
  if (group.texts.count("specialists") == 0) return {};
  return group.lines("specialists");
}

RunModel read_runs(const ArrayGroup& group) {
  const auto name_or_all = [](const std::string& text) { return text == "*" ? std::string() : text; };
  RunModel model;
  const StoredArray& smoothness = group.array("smoothness");
  expect_size(smoothness, "smoothness", 1, 1);
  model.smoothness = value_at(smoothness, 0, 0);
  const auto shifts = group.lines("overhead_shifts_of");
  const StoredArray& values = group.array("overhead_shifts");
  expect_size(values, "overhead_shifts", shifts.size(), kOverheads);
  for (std::size_t i = 0; i < shifts.size(); ++i) {
    const auto fields = split(shifts[i], 2);
    OverheadShift& shift =
        model.shifts.emplace_back(OverheadShift{name_or_all(fields[0]), name_or_all(fields[1]), {}});
    for (std::size_t k = 0; k < kOverheads; ++k) shift.shift.at(k) = value_at(values, i, k);
  }
  const auto intervals = group.lines("intervals_of");
  const StoredArray& widths = group.array("intervals");
  expect_size(widths, "intervals", intervals.size(), 1);
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    const auto fields = split(intervals[i], 2);
    model.intervals.push_back({name_or_all(fields[0]), novelty_of(fields[1]), value_at(widths, i, 0)});
  }
  const auto known = group.lines("known_runs_of");
  const StoredArray& errors = group.array("known_runs");
  expect_size(errors, "known_runs", known.size(), 4);
  const bool has_families = group.texts.count("known_families") > 0;
  const auto families = has_families ? group.lines("known_families") : std::vector<std::string>(known.size());
  if (families.size() != known.size())
    throw bad_input("known_families has " + std::to_string(families.size()) + " lines for " +
                    std::to_string(known.size()) + " of known_runs_of");
  for (std::size_t i = 0; i < known.size(); ++i) {
    const auto fields = split(known[i], 4);
    model.known.push_back({fields[0], fields[1], fields[2], fields[3],
                           static_cast<std::int64_t>(value_at(errors, i, 0)),
                           static_cast<std::int64_t>(value_at(errors, i, 1)), value_at(errors, i, 2),
                           value_at(errors, i, 3), families[i]});
  }
  if (group.arrays.count("weight_shapes") > 0) read_weight_shapes(group, model);
  return model;
}

}  // namespace layersim
