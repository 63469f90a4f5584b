// The file of a trained transfer model.

#include <charconv>

#include "sim/core/config_dir.h"
#include "sim/core/error.h"
#include "sim/methods/transfer/operation_classes.h"
#include "sim/methods/transfer/transfer_model.h"
#include "sim/store/array_file.h"

namespace layersim {
namespace {

constexpr FileFormat kFormat{"transfer predictor", 1};
constexpr const char* kModelGroup = "transfer";

std::string pair_name(const TransferPair& pair) { return pair.anchor + " to " + pair.target; }

ArrayGroup write_pair(const TransferPair& pair) {
  ArrayGroup group;
  group.texts["anchor"] = pair.anchor;
  group.texts["target"] = pair.target;
  group.arrays["factors"] = {{pair.factors.begin(), pair.factors.end()}, 1};
  group.arrays["numbers"] = {{static_cast<float>(pair.constant_ms), static_cast<float>(pair.half_width),
                              static_cast<float>(pair.left_out_mape), static_cast<float>(pair.rows)},
                             1};
  group.arrays["mean"] = {pair.normalisation.mean, 1};
  group.arrays["scale"] = {pair.normalisation.scale, 1};
  store_forest(group, "forest", pair.forest);
  store_dense_network(group, "dense", pair.dense);
  return group;
}

TransferPair read_pair(const ArrayGroup& group) {
  const std::size_t linear = operation_classes().size() + 1;
  const std::size_t features = linear + 4;
  TransferPair pair;
  pair.anchor = group.text("anchor");
  pair.target = group.text("target");
  const auto& factors = group.array("factors").values;
  pair.factors.assign(factors.begin(), factors.end());
  pair.normalisation = {group.array("mean").values, group.array("scale").values};
  const auto& numbers = group.array("numbers").values;
  if (pair.factors.size() != linear || numbers.size() != 4 || pair.normalisation.mean.size() != features ||
      pair.normalisation.scale.size() != features)
    throw bad_input("was written for other operation classes than this program has");
  pair.constant_ms = static_cast<double>(numbers[0]);
  pair.half_width = static_cast<double>(numbers[1]);
  pair.left_out_mape = static_cast<double>(numbers[2]);
  pair.rows = static_cast<std::size_t>(numbers[3]);
  pair.forest = load_forest(group, "forest", features);
  pair.dense = load_dense_network(group, "dense", features);
  return pair;
}

std::vector<std::string> class_names() {
  std::vector<std::string> names;
  for (const OperationClass& operation_class : operation_classes()) names.emplace_back(operation_class.name);
  return names;
}

TransferModel read_groups(const ArrayGroups& groups) {
  const auto own = groups.find(kModelGroup);
  if (own == groups.end()) throw bad_input("has no group 'transfer'");
  if (own->second.lines("operation_classes") != class_names())
    throw bad_input("was written for other operation classes than this program has");
  TransferModel model;
  model.date = own->second.text("date");
  const std::string& seed = own->second.text("seed");
  if (std::from_chars(seed.data(), seed.data() + seed.size(), model.seed).ec != std::errc{})
    throw bad_input("seed '" + seed + "' is no number");
  model.sources = own->second.lines("sources");
  model.networks = own->second.lines("networks");
  const auto& curvatures = own->second.array("curvatures");
  const auto gpus = own->second.lines("scaled_gpus");
  if (curvatures.columns != 2 || curvatures.rows() != gpus.size()) throw bad_input("'curvatures' is damaged");
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    model.scalings.push_back({gpus[i], SizeAxis::batch, static_cast<double>(curvatures.values[2 * i])});
    model.scalings.push_back({gpus[i], SizeAxis::pixel, static_cast<double>(curvatures.values[2 * i + 1])});
  }
  for (const std::string& name : own->second.lines("pairs")) {
    const auto group = groups.find(name);
    if (group == groups.end()) throw bad_input("has no pair '" + name + "'");
    model.pairs.push_back(with_context("pair '" + name + "'", [&] { return read_pair(group->second); }));
  }
  return model;
}

}  // namespace

TransferModel read_transfer_model(const std::filesystem::path& file) {
  return with_context(file.string(), [&] { return read_groups(read_array_file(file.string(), kFormat)); });
}

void write_transfer_model(const TransferModel& model, const std::filesystem::path& file) {
  ArrayGroups groups;
  ArrayGroup& own = groups[kModelGroup];
  own.texts["date"] = model.date;
  own.texts["seed"] = std::to_string(model.seed);
  own.set_lines("sources", model.sources);
  own.set_lines("networks", model.networks);
  own.set_lines("operation_classes", class_names());
  std::vector<std::string> gpus;
  StoredArray curvatures{{}, 2};
  for (const SizeScaling& scaling : model.scalings) {
    if (scaling.axis == SizeAxis::batch) gpus.push_back(scaling.gpu);
    curvatures.values.push_back(static_cast<float>(scaling.curvature));
  }
  own.set_lines("scaled_gpus", gpus);
  own.arrays["curvatures"] = std::move(curvatures);
  std::vector<std::string> names;
  for (const TransferPair& pair : model.pairs) {
    names.push_back(pair_name(pair));
    groups[names.back()] = write_pair(pair);
  }
  own.set_lines("pairs", names);
  with_context(file.string(), [&] { write_array_file(file.string(), kFormat, groups); });
}

std::filesystem::path shipped_transfer_file() { return config_dir() / "predictors" / "transfer.h5"; }

}  // namespace layersim
