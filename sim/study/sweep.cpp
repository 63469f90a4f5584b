#include "sim/study/sweep.h"

#include <algorithm>
#include <set>

#include "sim/core/error.h"
#include "sim/core/parse_number.h"
#include "sim/zoo/zoo.h"

namespace layersim {
namespace {

constexpr std::size_t kMostVariants = 1000;
constexpr double kMostTimes = 16;
constexpr std::int64_t kLeastResolution = 32;
constexpr std::int64_t kMostResolution = 4096;

// A variant with the text that tells it: "width=0.5 resolution=160".
struct NamedVariant {
  std::string name;
  ZooVariant variant;
};

void set_axis(const std::string& subject, const std::string& axis, const std::string& value,
              ZooVariant& variant) {
  const std::string named = subject + ' ' + axis;
  if (axis == "resolution") {
    variant.resolution = parse_count(named, value, kLeastResolution);
    if (*variant.resolution > kMostResolution) {
      throw bad_use(named + " takes at most " + std::to_string(kMostResolution) + ", not " + value);
    }
    return;
  }
  if (axis != "width" && axis != "depth") {
    throw bad_use(subject + " takes width, depth or resolution, not '" + axis + "'");
  }
  double& times = axis == "width" ? variant.width : variant.depth;
  times = parse_positive(named, value);
  if (times > kMostTimes) throw bad_use(named + " takes at most 16, not " + value);
}

// All that was so far, times the values of one sweep.
std::vector<NamedVariant> multiply(const std::string& subject, const std::vector<NamedVariant>& before,
                                   const std::string& axis, const std::string& values) {
  std::vector<NamedVariant> after;
  for (const NamedVariant& named : before) {
    for (std::size_t begin = 0; begin <= values.size();) {
      const std::size_t end = std::min(values.find(',', begin), values.size());
      const std::string value = values.substr(begin, end - begin);
      NamedVariant next = named;
      set_axis(subject, axis, value, next.variant);
      next.name += ' ' + axis + '=' + value;
      after.push_back(std::move(next));
      begin = end + 1;
    }
  }
  if (after.size() > kMostVariants) {
    throw bad_use(subject + ": more than " + std::to_string(kMostVariants) + " sizes of a network");
  }
  return after;
}

}  // namespace

std::vector<StudyNetwork> sweep_networks(const std::string& subject, const std::vector<std::string>& networks,
                                         const std::vector<std::string>& sweeps,
                                         const ShapeBindings& bindings) {
  std::vector<NamedVariant> variants{NamedVariant{}};
  std::set<std::string> axes;
  for (const std::string& sweep : sweeps) {
    const std::size_t equals = std::min(sweep.find('='), sweep.size());
    const std::string axis = sweep.substr(0, equals);
    if (!axes.insert(axis).second) throw bad_use(subject + ": " + axis + " is swept twice");
    variants = multiply(subject, variants, axis, sweep.substr(std::min(equals + 1, sweep.size())));
  }
  std::vector<StudyNetwork> result;
  for (const std::string& name : networks) {
    if (sweeps.empty()) {
      result.push_back(study_network(name, bindings));
      continue;
    }
    const ZooNetwork* network = find_zoo_network(name);
    if (network == nullptr) throw bad_use(subject + " is for networks of the zoo, not for '" + name + "'");
    for (const auto& [variant_name, variant] : variants) {
      const ZooVariant size = variant;
      static_cast<void>(with_context(subject, [&] { return network->build(size); }));
      result.push_back({name + variant_name, [network, size](Warnings&) { return network->build(size); }});
    }
  }
  return result;
}

}  // namespace layersim
