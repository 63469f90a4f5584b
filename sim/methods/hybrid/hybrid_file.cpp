#include "sim/core/config_dir.h"
#include "sim/core/error.h"
#include "sim/methods/hybrid/hybrid_model.h"
#include "sim/store/array_file.h"

namespace layersim {
namespace {

constexpr FileFormat kFormat{"hybrid predictor", 2};
constexpr const char* kGroup = "hybrid";

HybridModel read_group(const ArrayGroup& group) {
  HybridModel model;
  const auto& numbers = group.array("numbers").values;
  const auto& factors = group.array("factors").values;
  if (group.lines("features") != rest_feature_names() || group.lines("parts") != rest_part_names() ||
      factors.size() != rest_part_names().size() || numbers.size() < 3 || numbers.size() > 4)
    throw bad_input("was written for other features than this program has");
  model.factors.assign(factors.begin(), factors.end());
  model.trees = load_forest(group, "trees", rest_feature_names().size());
  model.half_width = static_cast<double>(numbers[0]);
  model.left_out_mape = static_cast<double>(numbers[1]);
  model.stored_share = static_cast<double>(numbers[2]);
  // Files of older versions do not have it.
  if (numbers.size() > 3) model.new_gpu_half_width = static_cast<double>(numbers[3]);
  model.gpus = group.lines("gpus");
  model.networks = group.lines("networks");
  model.sources = group.lines("sources");
  model.date = group.text("date");
  return model;
}

}  // namespace

HybridModel read_hybrid_model(const std::filesystem::path& file) {
  return with_context(file.string(), [&] {
    const ArrayGroups groups = read_array_file(file.string(), kFormat);
    const auto own = groups.find(kGroup);
    if (own == groups.end()) throw bad_input("has no group 'hybrid'");
    return read_group(own->second);
  });
}

void write_hybrid_model(const HybridModel& model, const std::filesystem::path& file) {
  ArrayGroups groups;
  ArrayGroup& group = groups[kGroup];
  group.set_lines("features", rest_feature_names());
  group.set_lines("parts", rest_part_names());
  group.arrays["factors"] = {std::vector<float>(model.factors.begin(), model.factors.end()), 1};
  store_forest(group, "trees", model.trees);
  group.arrays["numbers"] = {
      {static_cast<float>(model.half_width), static_cast<float>(model.left_out_mape),
       static_cast<float>(model.stored_share), static_cast<float>(model.new_gpu_half_width)},
      1};
  group.set_lines("gpus", model.gpus);
  group.set_lines("networks", model.networks);
  group.set_lines("sources", model.sources);
  group.texts["date"] = model.date;
  with_context(file.string(), [&] { write_array_file(file.string(), kFormat, groups); });
}

std::filesystem::path shipped_hybrid_file() { return config_dir() / "predictors" / "hybrid.h5"; }

}  // namespace layersim
