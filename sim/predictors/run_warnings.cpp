#include "sim/predictors/run_warnings.h"

#include <algorithm>
#include <set>

namespace layersim {
namespace {

bool is_of_machine(const KnownRuns& known, const Conditions& conditions) {
  return known.runs > 0 && known.gpu == conditions.device->key && known.stack == conditions.stack;
}

std::string joined(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::set<std::string> gpus_in(const RunModel& model, const std::string& precision) {
  std::set<std::string> gpus;
  for (const KnownRuns& known : model.known) {
    if (known.runs > 0 && known.precision == precision) gpus.insert(known.gpu);
  }
  return gpus;
}

std::string precision_warning(const RunModel& model, const Conditions& conditions) {
  const std::string precision(name(conditions.precision));
  std::set<std::string> measured;
  for (const KnownRuns& known : model.known) {
    if (is_of_machine(known, conditions)) measured.insert(known.precision);
  }
  const std::set<std::string> elsewhere = gpus_in(model, precision);
  if (measured.contains(precision)) return {};
  const std::string begin = "no runs in " + precision + " of " + conditions.device->key + " with " +
                            std::string(conditions.stack) + " were measured: extrapolated from its " +
                            joined(measured) + " runs by the published rates of the device";
  if (elsewhere.empty()) return begin + "; no measured run of any device is in " + precision;
  return begin + " and from " + precision + " runs of " + joined(elsewhere);
}

std::string mode_warning(const RunModel& model, const Conditions& conditions) {
  const std::string mode(name(conditions.mode));
  std::set<std::string> measured;
  for (const KnownRuns& known : model.known) {
    if (is_of_machine(known, conditions)) measured.insert(known.mode);
  }
  if (measured.contains(mode)) return {};
  return "no " + mode + " runs of " + conditions.device->key + " with " + std::string(conditions.stack) +
         " were measured: extrapolated from its " + joined(measured) + " runs";
}

}  // namespace

bool is_measured(const RunModel& model, const Conditions& conditions) {
  return std::any_of(model.known.begin(), model.known.end(), [&](const KnownRuns& known) {
    return is_of_machine(known, conditions) && known.precision == name(conditions.precision) &&
           known.mode == name(conditions.mode);
  });
}

std::vector<std::string> run_warnings(const RunModel& model, const Conditions& conditions) {
  std::vector<std::string> warnings;
  if (!model.knows(conditions.device->key, conditions.stack)) {
    warnings.push_back("no measured runs of " + conditions.device->key + " with " +
                       std::string(conditions.stack) +
                       " are in the training: times follow from the data sheet and from other runs");
    const std::string precision(name(conditions.precision));
    if (gpus_in(model, precision).empty())
      warnings.push_back("no measured run of any device is in " + precision +
                         ": extrapolated by the published rates of the device");
    return warnings;
  }
  for (const std::string& text : {precision_warning(model, conditions), mode_warning(model, conditions)}) {
    if (!text.empty()) warnings.push_back(text);
  }
  return warnings;
}

}  // namespace layersim
