#include "sampler/sweep.h"

#include <algorithm>
#include <optional>
#include <set>

#include "sim/core/config_dir.h"
#include "sim/core/strict_json.h"

namespace layersim {
namespace {

constexpr std::int64_t kSchemaVersion = 1;
constexpr double kMostMib = 1e7;
constexpr double kMostGflop = 1e9;

// The names of an array as values of an enumeration.
template <typename Value, typename Parse>
std::vector<Value> read_names(const JsonObject& object, std::string_view key, Parse&& parse) {
  std::vector<Value> values;
  for (const auto& text : object.get<std::vector<std::string>>(key)) {
    const std::optional<Value> value = parse(text);
    if (!value) throw object.error(key, "unknown name '" + text + "'");
    values.push_back(*value);
  }
  if (values.empty()) throw object.error(key, "must name one at least");
  return values;
}

std::int64_t read_size(const JsonObject& object, std::string_view key, std::int64_t least) {
  const auto size = object.get<std::int64_t>(key);
  if (size >= least && size <= kLargestSize) return size;
  throw object.error(key, "must be from " + std::to_string(least) + " to " + std::to_string(kLargestSize));
}

int parameter_index(const JsonObject& object, std::string_view key, const LayerKind& kind,
                    std::string_view name) {
  for (std::size_t i = 0; i < kind.parameters.size(); ++i) {
    if (kind.parameters[i].name == name) return static_cast<int>(i);
  }
  throw object.error(
      key, "layer kind " + std::string(kind.name) + " has no parameter '" + std::string(name) + "'");
}

ParameterRange declared_range(const Parameter& parameter) {
  ParameterRange range{.draw = parameter.draw, .low = parameter.low, .high = parameter.high};
  if (parameter.draw == Draw::choice) {
    for (std::int64_t value = parameter.low; value <= parameter.high; ++value) range.values.push_back(value);
  }
  return range;
}

// {"values": ["max", "average"]} of a parameter with names, {"values": [1, 3]} of another.
ParameterRange read_values(const JsonObject& object, const Parameter& parameter) {
  ParameterRange range{.draw = Draw::choice};
  if (parameter.choices.empty()) {
    range.values = object.get<std::vector<std::int64_t>>("values");
    for (const std::int64_t value : range.values) {
      if (value < 0 || value > kLargestSize) throw object.error("values", "a value is out of range");
    }
  } else {
    range.values = read_names<std::int64_t>(object, "values", [&](const std::string& text) {
      const auto found = std::find(parameter.choices.begin(), parameter.choices.end(), text);
      return found == parameter.choices.end()
                 ? std::nullopt
                 : std::optional<std::int64_t>(found - parameter.choices.begin());
    });
  }
  if (range.values.empty()) throw object.error("values", "must hold one at least");
  return range;
}

ParameterRange read_bounds(const JsonObject& object) {
  ParameterRange range;
  const auto draw = object.get<std::string>("draw");
  if (draw != "uniform" && draw != "log_uniform") {
    throw object.error("draw", "'" + draw + "' is neither uniform nor log_uniform");
  }
  range.draw = draw == "uniform" ? Draw::uniform : Draw::log_uniform;
  range.low = read_size(object, "low", range.draw == Draw::uniform ? 0 : 1);
  range.high = read_size(object, "high", range.low);
  if (object.has("multiple_of")) {
    range.multiple_of = read_size(object, "multiple_of", 1);
    if (range.multiple_of > range.low) throw object.error("multiple_of", "is above low");
  }
  return range;
}

ParameterRange read_range(const JsonObject& object, const LayerKind& kind, const Parameter& parameter) {
  if (object.has("values")) return read_values(object, parameter);
  if (!object.has("equal_to")) return read_bounds(object);
  ParameterRange range{.draw = Draw::fixed};
  range.equal_to = parameter_index(object, "equal_to", kind, object.get<std::string>("equal_to"));
  if (object.has("times")) range.times = read_size(object, "times", 1);
  if (object.has("plus")) range.plus = read_size(object, "plus", 0);
  return range;
}

// A parameter that is equal to another needs that one to be drawn by itself.
void check_equal_to(const JsonObject& object, const SweepEntry& entry) {
  for (std::size_t i = 0; i < entry.ranges.size(); ++i) {
    const int other = entry.ranges[i].equal_to;
    if (other < 0 || entry.ranges[static_cast<std::size_t>(other)].equal_to < 0) continue;
    throw object.error(entry.kind->parameters[i].name,
                       "is equal to a parameter that is equal to another one");
  }
}

SweepEntry read_entry(const JsonObject& object) {
  SweepEntry entry;
  const auto kind = object.get<std::string>("kind");
  entry.kind = find_layer_kind(kind);
  if (entry.kind == nullptr) throw object.error("kind", "there is no layer kind '" + kind + "'");
  entry.weight = object.has("weight") ? object.number("weight", 1e-6, 1e6) : 1;
  if (object.has("input_gradient")) entry.input_gradient = object.get<bool>("input_gradient");
  entry.activations = {Activation::none};
  if (object.has("activations")) {
    entry.activations = read_names<Activation>(object, "activations", parse_activation);
  }
  for (const Parameter& parameter : entry.kind->parameters) entry.ranges.push_back(declared_range(parameter));
  const auto parameters = object.get<JsonObject>("parameters");
  for (const std::string& name : parameters.keys()) {
    const auto index = static_cast<std::size_t>(parameter_index(parameters, name, *entry.kind, name));
    const Parameter& parameter = entry.kind->parameters[index];
    if (parameter.draw == Draw::derived) throw parameters.error(name, "follows from the others");
    entry.ranges[index] = read_range(parameters.get<JsonObject>(name), *entry.kind, parameter);
  }
  check_equal_to(parameters, entry);
  return entry;
}

Sweep read_sweep(const JsonObject& root) {
  if (root.get<std::int64_t>("schema_version") != kSchemaVersion) {
    throw root.error("schema_version", "must be " + std::to_string(kSchemaVersion));
  }
  Sweep sweep;
  sweep.name = root.get<std::string>("name");
  sweep.source = root.get<std::string>("source");
  sweep.forward_share = root.number("forward_share", 0, 1);
  sweep.max_memory_mib = root.number("max_memory_mib", 0.001, kMostMib);
  sweep.max_gflop = root.number("max_gflop", 1e-9, kMostGflop);
  sweep.optimizers = read_names<Optimizer>(root, "optimizers", parse_optimizer);
  sweep.precisions = read_names<Precision>(root, "precisions", parse_precision);
  for (const auto& object : root.get<std::vector<JsonObject>>("entries")) {
    sweep.entries.push_back(read_entry(object));
  }
  if (sweep.entries.empty()) throw root.error("entries", "must hold one at least");
  return sweep;
}

}  // namespace

Sweep read_sweep_file(const std::filesystem::path& path) { return read_json_file(path, read_sweep); }

Sweep read_sweep_text(const std::string& name, std::string_view text) {
  return read_json_text(name, text, read_sweep);
}

std::filesystem::path find_sweep_file(const std::string& name_or_file) {
  if (name_or_file.find_first_of("/.") != std::string::npos) return name_or_file;
  const std::filesystem::path folder = config_dir() / "sweeps";
  std::filesystem::path file = folder / (name_or_file + ".json");
  if (std::filesystem::exists(file)) return file;
  std::set<std::string> names;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
    names.insert(entry.path().stem().string());
  std::string known;
  for (const std::string& name : names) known.append(known.empty() ? "" : ", ").append(name);
  throw bad_use("no sweep is named '" + name_or_file + "': there are " + known +
                ", or a file such as ./my.json");
}

void keep_kinds(Sweep& sweep, const std::vector<std::string>& kinds) {
  if (kinds.empty()) return;
  std::set<std::string_view> found;
  std::erase_if(sweep.entries, [&](const SweepEntry& entry) {
    const bool kept = std::find(kinds.begin(), kinds.end(), entry.kind->name) != kinds.end();
    if (kept) found.insert(entry.kind->name);
    return !kept;
  });
  for (const std::string& kind : kinds) {
    if (!found.contains(kind)) throw bad_use("sweep " + sweep.name + " has no entry of kind '" + kind + "'");
  }
}

}  // namespace layersim
