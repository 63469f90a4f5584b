#include "sim/cli/device_options.h"

#include <algorithm>
#include <cstdio>
#include <optional>

#include "hwdb/device_db.h"
#include "hwdb/device_file.h"
#include "sim/core/error.h"
#include "sim/core/nearest_names.h"

namespace layersim {
namespace {

// Its technology is one that no device of configs/gpus has, so that nothing was learned of it.
void warn_of_unknown_technology(const Device& own, const std::string& file) {
  std::vector<std::string> known;
  for (const Device& device : DeviceDb().all()) known.push_back(device.technology);
  if (std::find(known.begin(), known.end(), own.technology) != known.end()) return;
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  std::fprintf(stderr,
               "warning: %s: no device of configs/gpus has the technology '%s'%s; times follow from the "
               "other facts of the file, and several devices are taken to be linked by PCIe\n",
               file.c_str(), own.technology.c_str(),
               suggest(": did you mean ", nearest_names(own.technology, known, 1)).c_str());
}

// "memory_gib, tdp_w": facts of the one that the other tells otherwise.
std::string differing_facts(const Device& own, const Device& known) {
  std::string names;
  for (const DeviceFact& fact : own.facts) {
    const bool is_same = std::any_of(known.facts.begin(), known.facts.end(), [&](const DeviceFact& other) {
      return other.name == fact.name && other.value == fact.value;
    });
    if (!is_same) names.append(names.empty() ? "" : ", ").append(fact.name);
  }
  return names;
}

}  // namespace

options::options_description device_option_group() {
  options::options_description group("device");
  group.add_options()                                                      //
      ("gpu,g", text_value("NAME"), "device; `layersim gpus` lists them")  //
      ("gpu-file", input_file(), "device from a JSON file, as those in configs/gpus");
  return group;
}

Device read_device(const Arguments& arguments) {
  const auto file = arguments.text("gpu-file");
  const auto name = arguments.text("gpu");
  if (file && name) throw bad_use("--gpu and --gpu-file exclude each other");
  if (!file && !name) throw bad_use("no device: --gpu NAME; `layersim gpus` lists them");
  return file ? read_own_device(*file) : DeviceDb().find(*name);
}

Device read_own_device(const std::string& file) {
  Device device = read_device_file(file);
  warn_of_unknown_technology(device, file);
  const std::optional<Device> known = DeviceDb().find_key(device.key);
  const std::string names = known ? differing_facts(device, *known) : "";
  if (!names.empty()) {
    std::fprintf(
        stderr,
        "warning: %s: tells of %s otherwise than configs/gpus: %s; its own facts are used, with what "
        "was learned from rows and runs of %s\n",
        file.c_str(), device.key.c_str(), names.c_str(), device.key.c_str());
  }
  return device;
}

}  // namespace layersim
