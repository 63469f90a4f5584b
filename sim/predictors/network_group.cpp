// A trained network as a group of a predictor file.

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/features/device_numbers.h"
#include "sim/features/transferable_features.h"
#include "sim/predictors/group_fields.h"
#include "sim/predictors/predictor_groups.h"

namespace layersim {
namespace {

constexpr const char* kTransferable = "transferable";  // in `device_view`; no such text: full

std::span<const FeatureSpec> specs_of(DeviceView view) {
  return view == DeviceView::full ? device_feature_specs() : transferable_feature_specs();
}

constexpr std::size_t kAdded = std::numeric_limits<std::size_t>::max();

Error other_features() {
  return bad_input("was trained on other features than this program computes; train it again");
}

// Names of a network's inputs, in their order.
std::vector<std::string> input_names(const FeatureFamily& family, const TrainedNetwork& network) {
  std::vector<std::string> names;
  const auto add = [&](std::string_view prefix, std::string_view name) {
    names.push_back(std::string(prefix).append(name));
  };
  for (const FeatureSpec& spec : family.features) add("", spec.name);
  for (const FeatureSpec& spec : specs_of(network.device_view)) add("", spec.name);
  for (const std::string& gpu : network.gpus) add("gpu ", gpu);
  for (const std::string& stack : network.stacks) add("stack ", stack);
  return names;
}

// Names of what the factors of the terms are linear in, before the machines.
std::vector<std::string> factor_names() {
  std::vector<std::string> names;
  for (const FeatureSpec& spec : device_factor_specs()) names.emplace_back(spec.name);
  return names;
}

std::string term_names(const FeatureFamily& family) {
  std::string names;
  for (const std::string_view term : family.terms) names.append(term).append("\n");
  return names;
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

void write_factors(const TrainedNetwork& network, ArrayGroup& group) {
  if (network.factor_weights.empty()) return;
  group.set_lines("device_factors", factor_names());
  std::vector<std::string> machines;
  for (const Machine& machine : network.machines) machines.push_back(join({machine.stack, machine.gpu}));
  group.set_lines("machines", machines);
  StoredArray& array = group.arrays["factor_weights"];
  array.columns = device_factor_specs().size() + machines.size();
  array.values = network.factor_weights;
}

void read_factors(const ArrayGroup& group, std::size_t terms, TrainedNetwork& network) {
  if (!group.texts.contains("device_factors")) return;
  if (group.lines("device_factors") != factor_names()) throw other_features();
  for (const std::string& line : group.lines("machines")) {
    const auto fields = split(line, 2);
    network.machines.push_back({fields[0], fields[1]});
  }
  const StoredArray& array = group.array("factor_weights");
  expect_size(array, "factor_weights", terms, device_factor_specs().size() + network.machines.size());
  network.factor_weights = array.values;
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

// Where each input is in a file, kAdded for a family's feature that the file does not know: it was trained
// before the program had that one.
std::vector<std::size_t> places_of_inputs(const ArrayGroup& group, const FeatureFamily& family,
                                          const TrainedNetwork& network) {
  const std::vector<std::string> stored = group.lines("inputs");
  std::vector<std::size_t> places;
  std::size_t next = 0;
  for (const std::string& name : input_names(family, network)) {
    const bool known = next < stored.size() && stored[next] == name;
    if (!known && places.size() >= family.features.size()) throw other_features();
    places.push_back(known ? next++ : kAdded);
  }
  if (next != stored.size()) throw other_features();
  return places;
}

// An array of two columns with a row per input: `absent` for those that are added.
void read_pairs(const ArrayGroup& group, const std::string& name, std::size_t rows,
                const std::vector<std::size_t>& places, std::pair<float, float> absent,
                std::vector<float>& first, std::vector<float>& second) {
  const StoredArray& array = group.array(name);
  expect_size(array, name, rows, 2);
  for (const std::size_t place : places) {
    first.push_back(place == kAdded ? absent.first : array.values[2 * place]);
    second.push_back(place == kAdded ? absent.second : array.values[2 * place + 1]);
  }
}

// The first layer gives an added input no weight.
void place_inputs(DenseLayer& layer, const std::vector<std::size_t>& places) {
  std::vector<float> weights;
  for (int o = 0; o < layer.outputs; ++o) {
    const float* const stored = layer.weights.data() + o * layer.inputs;
    for (const std::size_t place : places) weights.push_back(place == kAdded ? 0 : stored[place]);
  }
  layer.weights = std::move(weights);
  layer.inputs = static_cast<int>(places.size());
}

}  // namespace

ArrayGroup write_network(const TrainedNetwork& network) {
  const FeatureFamily* family = find_feature_family(network.family);
  if (family == nullptr) throw internal_error("no feature family '" + network.family + "'");
  ArrayGroup group;
  group.texts["family"] = network.family;
  group.texts["stack_group"] = network.stack_group;
  group.texts["training"] = network.training;
  if (network.device_view == DeviceView::transferable) group.texts["device_view"] = kTransferable;
  group.set_lines("inputs", input_names(*family, network));
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
  write_factors(network, group);
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
  if (group.texts.contains("device_view") && group.text("device_view") == kTransferable)
    network.device_view = DeviceView::transferable;
  network.gpus = group.lines("gpus");
  network.stacks = group.lines("stacks");
  const FeatureFamily* family = find_feature_family(network.family);
  if (family == nullptr || group.text("terms") != term_names(*family)) throw other_features();
  const std::vector<std::size_t> places = places_of_inputs(group, *family, network);
  const std::size_t stored_inputs = group.lines("inputs").size();
  const auto own = static_cast<std::ptrdiff_t>(family->features.size());
  read_pairs(group, "normalization", stored_inputs, places, {0, 1}, network.mean, network.scale);
  const auto stored_own = static_cast<std::size_t>(
      std::count_if(places.begin(), places.begin() + own, [](std::size_t place) { return place != kAdded; }));
  constexpr float kAnything = std::numeric_limits<float>::max();
  read_pairs(group, "trained_range", stored_own, {places.begin(), places.begin() + own},
             {-kAnything, kAnything}, network.low, network.high);
  for (std::size_t m = 0; group.arrays.contains(layer_name(m, 0)); ++m) {
    Mlp member;
    std::size_t width = stored_inputs;
    for (std::size_t l = 0; group.arrays.contains(layer_name(m, l)); ++l) {
      member.push_back(layer_of(group.array(layer_name(m, l)), width));
      width = static_cast<std::size_t>(member.back().outputs);
    }
    if (width != family->terms.size()) throw bad_input("the last layer does not have one output per term");
    place_inputs(member.front(), places);
    network.members.push_back(std::move(member));
  }
  if (network.members.empty()) throw bad_input("has no layers");
  read_factors(group, family->terms.size(), network);
  read_intervals(group, network);
  read_known(group, network);
  read_calibrations(group, family->terms.size(), network);
  return network;
}

}  // namespace layersim
