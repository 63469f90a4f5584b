#include "sim/predictors/predictor_file.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "sim/core/config_dir.h"
#include "sim/core/error.h"
#include "sim/features/device_numbers.h"
#include "sim/store/array_file.h"
#include "sim/store/table.h"

namespace layersim {
namespace {

constexpr FileFormat kFormat{"predictor", 1};
constexpr const char* kPredictorGroup = "predictor";
// Of the run model; also the stack group of its networks.
constexpr const char* kRunsGroup = "runs";

std::string network_name(const TrainedNetwork& network) { return network.family + '@' + network.stack_group; }

// Names of a network's inputs, in their order, a line each.
std::string input_names(const FeatureFamily& family, const TrainedNetwork& network) {
  std::string names;
  const auto add = [&](std::string_view prefix, std::string_view name) {
    names.append(prefix).append(name).append("\n");
  };
  for (const FeatureSpec& spec : family.features) add("", spec.name);
  for (const FeatureSpec& spec : device_feature_specs()) add("", spec.name);
  for (const std::string& gpu : network.gpus) add("gpu ", gpu);
  for (const std::string& stack : network.stacks) add("stack ", stack);
  return names;
}

std::size_t input_count(const FeatureFamily& family, const TrainedNetwork& network) {
  return family.features.size() + device_feature_specs().size() + network.gpus.size() + network.stacks.size();
}

std::string term_names(const FeatureFamily& family) {
  std::string names;
  for (const std::string_view term : family.terms) names.append(term).append("\n");
  return names;
}

// Fields of a line, which names do not contain the separator of.
std::string join(std::initializer_list<std::string_view> fields) {
  std::string line;
  for (const std::string_view field : fields) line.append(line.empty() ? "" : "\t").append(field);
  return line;
}

std::vector<std::string> split(const std::string& line, std::size_t fields) {
  std::vector<std::string> result;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find('\t', begin), line.size());
    result.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  if (result.size() != fields)
    throw bad_input("'" + line + "' does not have " + std::to_string(fields) + " fields");
  return result;
}

void append(StoredArray& array, std::initializer_list<double> values) {
  for (const double value : values) array.values.push_back(static_cast<float>(value));
}

double value_at(const StoredArray& array, std::size_t row, std::size_t column) {
  return static_cast<double>(array.values[row * array.columns + column]);
}

void expect_size(const StoredArray& array, const std::string& name, std::size_t rows, std::size_t columns) {
  if (array.values.size() != rows * columns || (rows > 0 && array.columns != columns)) {
    throw bad_input("array '" + name + "' does not have " + std::to_string(rows) + " x " +
                    std::to_string(columns) + " numbers");
  }
}

Pass parse_pass(const std::string& text) {
  for (const Pass pass :
       {Pass::forward, Pass::training, Pass::backward, Pass::backward_data, Pass::backward_weight}) {
    if (name(pass) == text) return pass;
  }
  throw bad_input("there is no pass '" + text + "'");
}

std::string layer_name(std::size_t member, std::size_t layer) {
  return "member" + std::to_string(member) + "_layer" + std::to_string(layer);
}

// outputs x (inputs + 1): the bias is the last column.
StoredArray layer_array(const DenseLayer& layer) {
  StoredArray array;
  const auto inputs = static_cast<std::size_t>(layer.inputs);
  array.columns = inputs + 1;
  for (std::size_t o = 0; o < layer.bias.size(); ++o) {
    const auto begin = layer.weights.begin() + static_cast<std::ptrdiff_t>(o * inputs);
    array.values.insert(array.values.end(), begin, begin + layer.inputs);
    array.values.push_back(layer.bias[o]);
  }
  return array;
}

DenseLayer layer_of(const StoredArray& array, std::size_t inputs) {
  if (array.columns != inputs + 1 || array.rows() == 0)
    throw bad_input("a layer does not fit the one before it");
  DenseLayer layer{static_cast<int>(inputs), static_cast<int>(array.rows()), {}, {}};
  for (std::size_t o = 0; o < array.rows(); ++o) {
    const auto begin = array.values.begin() + static_cast<std::ptrdiff_t>(o * array.columns);
    layer.weights.insert(layer.weights.end(), begin, begin + layer.inputs);
    layer.bias.push_back(begin[layer.inputs]);
  }
  return layer;
}

void write_intervals(const TrainedNetwork& network, ArrayGroup& group) {
  std::vector<std::string> lines;
  StoredArray& array = group.arrays["intervals"];
  array.columns = 2;
  for (const IntervalTable& table : network.intervals) {
    for (std::size_t i = 0; i < table.half_width.size(); ++i) {
      lines.push_back(join(
          {table.gpu.empty() ? "*" : table.gpu, table.stack.empty() ? "*" : table.stack, name(table.pass)}));
      const double upper_ms =
          i < table.upper_ms.size() ? table.upper_ms[i] : std::numeric_limits<double>::infinity();
      append(array, {upper_ms, table.half_width[i]});
    }
  }
  group.set_lines("intervals_of", lines);
}

void read_intervals(const ArrayGroup& group, TrainedNetwork& network) {
  const auto lines = group.lines("intervals_of");
  const StoredArray& array = group.array("intervals");
  expect_size(array, "intervals", lines.size(), 2);
  bool complete = true;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (complete) {
      const auto fields = split(lines[i], 3);
      network.intervals.push_back({fields[0] == "*" ? "" : fields[0],
                                   fields[1] == "*" ? "" : fields[1],
                                   parse_pass(fields[2]),
                                   {},
                                   {}});
    }
    IntervalTable& table = network.intervals.back();
    complete = std::isinf(value_at(array, i, 0));
    if (!complete) table.upper_ms.push_back(value_at(array, i, 0));
    table.half_width.push_back(value_at(array, i, 1));
  }
  if (!complete) throw bad_input("the last interval has an upper end");
}

void write_known(const TrainedNetwork& network, ArrayGroup& group) {
  std::vector<std::string> lines;
  StoredArray& array = group.arrays["known_rows"];
  array.columns = 5;  // rows, held-out rows, their MAPE, RMSE in ms, share inside the interval
  for (const KnownRows& known : network.known) {
    lines.push_back(join({known.gpu, known.stack, known.precision, known.pass}));
    append(array, {static_cast<double>(known.rows), static_cast<double>(known.held_out_rows),
                   known.held_out_mape, known.held_out_rmse_ms, known.held_out_coverage});
  }
  group.set_lines("known_rows_of", lines);
}

void read_known(const ArrayGroup& group, TrainedNetwork& network) {
  const auto lines = group.lines("known_rows_of");
  const StoredArray& array = group.array("known_rows");
  expect_size(array, "known_rows", lines.size(), 5);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto fields = split(lines[i], 4);
    network.known.push_back({fields[0], fields[1], fields[2], fields[3],
                             static_cast<std::int64_t>(value_at(array, i, 0)),
                             static_cast<std::int64_t>(value_at(array, i, 1)), value_at(array, i, 2),
                             value_at(array, i, 3), value_at(array, i, 4)});
  }
}

// Of each calibration: the factor of the intervals, the log factors of the terms, the device's inputs.
std::size_t calibration_numbers(const TrainedNetwork& network, std::size_t terms) {
  return 1 + terms + identity_feature_count() + network.gpus.size();
}

void write_calibrations(const TrainedNetwork& network, std::size_t terms, ArrayGroup& group) {
  std::vector<std::string> gpus;
  StoredArray& array = group.arrays["calibrations"];
  array.columns = calibration_numbers(network, terms);
  for (const auto& calibration : network.calibrations) {
    gpus.push_back(calibration.gpu);
    append(array, {calibration.width_factor});
    for (const double factor : calibration.log_factors) append(array, {factor});
    array.values.insert(array.values.end(), calibration.device_inputs.begin(),
                        calibration.device_inputs.end());
  }
  group.set_lines("calibrated_gpus", gpus);
}

void read_calibrations(const ArrayGroup& group, std::size_t terms, TrainedNetwork& network) {
  const auto gpus = group.lines("calibrated_gpus");
  const StoredArray& array = group.array("calibrations");
  const std::size_t numbers = calibration_numbers(network, terms);
  expect_size(array, "calibrations", gpus.size(), numbers);
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const auto row = array.values.begin() + static_cast<std::ptrdiff_t>(i * numbers);
    const auto inputs = row + 1 + static_cast<std::ptrdiff_t>(terms);
    network.calibrations.push_back({.gpu = gpus[i],
                                    .log_factors = {row + 1, inputs},
                                    .device_inputs = {inputs, row + static_cast<std::ptrdiff_t>(numbers)},
                                    .width_factor = static_cast<double>(*row)});
  }
}

ArrayGroup write_network(const TrainedNetwork& network) {
  const FeatureFamily* family = find_feature_family(network.family);
  if (family == nullptr) throw internal_error("no feature family '" + network.family + "'");
  ArrayGroup group;
  group.texts["family"] = network.family;
  group.texts["stack_group"] = network.stack_group;
  group.texts["training"] = network.training;
  group.texts["inputs"] = input_names(*family, network);
  group.texts["terms"] = term_names(*family);
  group.set_lines("gpus", network.gpus);
  group.set_lines("stacks", network.stacks);
  StoredArray& features = group.arrays["normalization"];
  features.columns = 2;
  for (std::size_t i = 0; i < network.mean.size(); ++i) {
    features.values.insert(features.values.end(), {network.mean[i], network.scale[i]});
  }
  StoredArray& range = group.arrays["trained_range"];
  range.columns = 2;
  for (std::size_t i = 0; i < network.low.size(); ++i) {
    range.values.insert(range.values.end(), {network.low[i], network.high[i]});
  }
  for (std::size_t m = 0; m < network.members.size(); ++m) {
    for (std::size_t l = 0; l < network.members[m].size(); ++l) {
      group.arrays[layer_name(m, l)] = layer_array(network.members[m][l]);
    }
  }
  write_intervals(network, group);
  write_known(network, group);
  write_calibrations(network, family->terms.size(), group);
  return group;
}

TrainedNetwork read_network(const ArrayGroup& group) {
  TrainedNetwork network;
  network.family = group.text("family");
  network.stack_group = group.text("stack_group");
  if (group.texts.contains("training")) network.training = group.text("training");
  network.gpus = group.lines("gpus");
  network.stacks = group.lines("stacks");
  const FeatureFamily* family = find_feature_family(network.family);
  const bool same_features = family != nullptr && group.text("terms") == term_names(*family) &&
                             group.text("inputs") == input_names(*family, network);
  if (!same_features) {
    throw bad_input("was trained on other features than this program computes; train it again");
  }
  const std::size_t inputs = input_count(*family, network);
  const StoredArray& features = group.array("normalization");
  expect_size(features, "normalization", inputs, 2);
  for (std::size_t i = 0; i < inputs; ++i) {
    network.mean.push_back(features.values[2 * i]);
    network.scale.push_back(features.values[2 * i + 1]);
  }
  const StoredArray& range = group.array("trained_range");
  expect_size(range, "trained_range", family->features.size(), 2);
  for (std::size_t i = 0; i < family->features.size(); ++i) {
    network.low.push_back(range.values[2 * i]);
    network.high.push_back(range.values[2 * i + 1]);
  }
  for (std::size_t m = 0; group.arrays.contains(layer_name(m, 0)); ++m) {
    Mlp member;
    std::size_t width = inputs;
    for (std::size_t l = 0; group.arrays.contains(layer_name(m, l)); ++l) {
      member.push_back(layer_of(group.array(layer_name(m, l)), width));
      width = static_cast<std::size_t>(member.back().outputs);
    }
    if (width != family->terms.size()) throw bad_input("the last layer does not have one output per term");
    network.members.push_back(std::move(member));
  }
  if (network.members.empty()) throw bad_input("has no layers");
  read_intervals(group, network);
  read_known(group, network);
  read_calibrations(group, family->terms.size(), network);
  return network;
}

ArrayGroup write_runs(const RunModel& model) {
  ArrayGroup group;
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
    intervals.push_back(
        join({interval.stack.empty() ? "*" : interval.stack, interval.known_device ? "known" : "new"}));
    append(widths, {interval.half_width});
  }
  group.set_lines("intervals_of", intervals);
  std::vector<std::string> known;
  StoredArray& errors = group.arrays["known_runs"];
  errors.columns = 4;  // runs, held-out runs, their MAPE, share inside the interval
  for (const KnownRuns& runs : model.known) {
    known.push_back(join({runs.gpu, runs.stack, runs.precision, runs.mode}));
    append(errors, {static_cast<double>(runs.runs), static_cast<double>(runs.held_out_runs),
                    runs.held_out_mape, runs.held_out_coverage});
  }
  group.set_lines("known_runs_of", known);
  return group;
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
    model.intervals.push_back({name_or_all(fields[0]), fields[1] == "known", value_at(widths, i, 0)});
  }
  const auto known = group.lines("known_runs_of");
  const StoredArray& errors = group.array("known_runs");
  expect_size(errors, "known_runs", known.size(), 4);
  for (std::size_t i = 0; i < known.size(); ++i) {
    const auto fields = split(known[i], 4);
    model.known.push_back(
        {fields[0], fields[1], fields[2], fields[3], static_cast<std::int64_t>(value_at(errors, i, 0)),
         static_cast<std::int64_t>(value_at(errors, i, 1)), value_at(errors, i, 2), value_at(errors, i, 3)});
  }
  return model;
}

std::uint64_t parse_seed(const std::string& text) {
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error != std::errc{} || end != text.data() + text.size())
    throw bad_input("seed '" + text + "' is no number");
  return seed;
}

double parse_test_share(const ArrayGroup& group) {
  if (group.texts.count("test_share") == 0) return 0;
  const std::string& text = group.text("test_share");
  double share = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), share);
  if (error != std::errc{} || end != text.data() + text.size() || !(share >= 0 && share < 1))
    throw bad_input("test_share '" + text + "' is no share");
  return share;
}

PredictorFile read_groups(const ArrayGroups& groups) {
  const auto own = groups.find(kPredictorGroup);
  if (own == groups.end()) throw bad_input("has no group 'predictor'");
  PredictorFile predictor;
  predictor.provenance.tool_version = own->second.text("tool_version");
  predictor.provenance.trainer = own->second.text("trainer");
  predictor.provenance.date = own->second.text("date");
  predictor.provenance.seed = parse_seed(own->second.text("seed"));
  predictor.provenance.sources = own->second.lines("sources");
  predictor.provenance.test_share = parse_test_share(own->second);
  const auto runs = groups.find(kRunsGroup);
  if (runs != groups.end()) {
    with_context("group 'runs'", [&] { predictor.runs = read_runs(runs->second); });
  }
  for (const std::string& name : own->second.lines("networks")) {
    const auto group = groups.find(name);
    if (group == groups.end()) throw bad_input("has no network '" + name + "'");
    with_context("network '" + name + "'", [&] {
      TrainedNetwork network = read_network(group->second);
      const bool of_runs = predictor.runs && network.stack_group == kRunsGroup;
      (of_runs ? predictor.runs->networks : predictor.networks).push_back(std::move(network));
    });
  }
  return predictor;
}

}  // namespace

std::filesystem::path shipped_predictor_file() { return config_dir() / "predictors" / "layerwise.h5"; }

PredictorFile read_predictor_file(const std::filesystem::path& file) {
  return with_context(file.string(), [&] { return read_groups(read_array_file(file.string(), kFormat)); });
}

void write_predictor_file(const PredictorFile& predictor, const std::filesystem::path& file) {
  ArrayGroups groups;
  ArrayGroup& own = groups[kPredictorGroup];
  own.texts["tool_version"] = predictor.provenance.tool_version;
  own.texts["trainer"] = predictor.provenance.trainer;
  own.texts["date"] = predictor.provenance.date;
  own.texts["seed"] = std::to_string(predictor.provenance.seed);
  own.set_lines("sources", predictor.provenance.sources);
  own.texts["test_share"] = format_number(predictor.provenance.test_share);
  std::vector<std::string> names;
  std::vector<const TrainedNetwork*> networks;
  for (const TrainedNetwork& network : predictor.networks) networks.push_back(&network);
  if (predictor.runs) {
    groups[kRunsGroup] = write_runs(*predictor.runs);
    for (const TrainedNetwork& network : predictor.runs->networks) networks.push_back(&network);
  }
  for (const TrainedNetwork* network : networks) {
    names.push_back(network_name(*network));
    if (!groups.emplace(names.back(), write_network(*network)).second) {
      throw internal_error("two networks '" + names.back() + "'");
    }
  }
  own.set_lines("networks", names);
  with_context(file.string(), [&] { write_array_file(file.string(), kFormat, groups); });
}

}  // namespace layersim
