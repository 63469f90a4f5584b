#include "sim/predictors/predictor_file.h"

#include <algorithm>
#include <charconv>

#include "sim/core/config_dir.h"
#include "sim/core/error.h"
#include "sim/predictors/predictor_groups.h"
#include "sim/store/table.h"

namespace layersim {
namespace {

constexpr FileFormat kFormat{"predictor", 1};
constexpr const char* kPredictorGroup = "predictor";

std::string network_name(const TrainedNetwork& network) { return network.family + '@' + network.stack_group; }

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

// The run model or specialist that networks of a stack group belong to; nullptr for those of layers.
RunModel* run_model_of(PredictorFile& predictor, const std::string& stack_group) {
  if (!predictor.runs) return nullptr;
  if (stack_group == kRunsGroup) return &*predictor.runs;
  for (RunModel& specialist : predictor.runs->specialists) {
    if (stack_group == specialist_group(specialist.stacks)) return &specialist;
  }
  return nullptr;
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
    for (const std::string& stacks : specialists_of(runs->second)) {
      const std::string name = specialist_group(stacks);
      const auto group = groups.find(name);
      if (group == groups.end()) throw bad_input("has no group '" + name + "'");
      with_context("group '" + name + "'", [&] {
        RunModel& specialist = predictor.runs->specialists.emplace_back(read_runs(group->second));
        specialist.stacks = stacks;
      });
    }
  }
  for (const std::string& name : own->second.lines("networks")) {
    const auto group = groups.find(name);
    if (group == groups.end()) throw bad_input("has no network '" + name + "'");
    with_context("network '" + name + "'", [&] {
      TrainedNetwork network = read_network(group->second);
      RunModel* model = run_model_of(predictor, network.stack_group);
      (model != nullptr ? model->networks : predictor.networks).push_back(std::move(network));
    });
  }
  return predictor;
}

}  // namespace

bool PredictorFile::has_family(std::string_view family) const {
  return std::any_of(networks.begin(), networks.end(),
                     [&](const TrainedNetwork& network) { return network.family == family; });
}

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
    for (const RunModel& specialist : predictor.runs->specialists) {
      groups[specialist_group(specialist.stacks)] = write_runs(specialist);
      for (const TrainedNetwork& network : specialist.networks) networks.push_back(&network);
    }
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
