#include "hwdb/interconnect.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "hwdb/device_file.h"
#include "sim/core/config_dir.h"
#include "sim/core/strict_json.h"

namespace layersim {
namespace {

struct NumberField {
  std::string_view key;
  double Interconnect::*member;
  double low;
  double high;
};

const std::array kNumbers{
    NumberField{"bandwidth_gb_s", &Interconnect::bandwidth_gb_s, 0.01, 1e5},
    NumberField{"adapters_per_host", &Interconnect::adapters_per_host, 1, 64},
    NumberField{"efficiency", &Interconnect::efficiency, 0.01, 1},
    NumberField{"start_latency_us", &Interconnect::start_latency_us, 0, 1e5},
    NumberField{"step_latency_us", &Interconnect::step_latency_us, 0, 1e5},
};

Interconnect read_interconnect(const JsonObject& root) {
  Interconnect link;
  link.key = root.get<std::string>("key");
  if (!is_device_key(link.key)) throw root.error("key", "must be lower-case letters, digits and hyphens");
  link.display_name = root.get<std::string>("display_name");
  const auto scope = root.get<std::string>("scope");
  if (scope != "host" && scope != "network")
    throw root.error("scope", "'" + scope + "' is not one of host, network");
  link.scope = scope == "host" ? InterconnectScope::host : InterconnectScope::network;
  link.technologies = root.get<std::vector<std::string>>("technologies");
  const auto sources = root.get<JsonObject>("sources");
  std::set<std::string> cited;
  for (const NumberField& field : kNumbers) {
    const auto fact = root.get<JsonObject>(field.key);
    link.*field.member = fact.number("value", field.low, field.high);
    const auto source = fact.get<std::string>("source");
    if (!sources.has(source)) throw fact.error("source", "'" + source + "' is not among the sources");
    cited.insert(source);
    link.facts.push_back(
        {std::string(field.key), number_text(link.*field.member), sources.get<std::string>(source)});
  }
  for (const std::string& name : sources.keys()) {
    if (cited.count(name) == 0) throw sources.error(name, "no value cites this source");
  }
  return link;
}

}  // namespace

Interconnect read_interconnect_file(const std::filesystem::path& path) {
  return read_json_file(path, read_interconnect);
}

Interconnect read_interconnect_text(const std::string& name, std::string_view text) {
  return read_json_text(name, text, read_interconnect);
}

InterconnectDb::InterconnectDb() : InterconnectDb(config_dir() / "interconnects") {}

InterconnectDb::InterconnectDb(std::filesystem::path folder) : folder_(std::move(folder)) {}

std::vector<Interconnect> InterconnectDb::all() const {
  std::error_code error;
  std::vector<Interconnect> links;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, error)) {
    if (entry.path().extension() == ".json") links.push_back(read_interconnect_file(entry.path()));
  }
  if (error) throw bad_input(folder_.string() + ": " + error.message());
  std::sort(links.begin(), links.end(),
            [](const Interconnect& a, const Interconnect& b) { return a.key < b.key; });
  return links;
}

Interconnect InterconnectDb::find(std::string_view key) const {
  std::error_code ignored;
  const auto file = folder_ / (std::string(key) + ".json");
  if (is_device_key(key) && std::filesystem::exists(file, ignored)) return read_interconnect_file(file);
  std::string known;
  for (const Interconnect& link : all()) known += (known.empty() ? "" : ", ") + link.key;
  throw bad_use("no interconnect '" + std::string(key.substr(0, 60)) + "'; known are " + known);
}

Interconnect InterconnectDb::of_device(const Device& device) const {
  if (device.connectivity == "nvlink" || device.connectivity == "infinity_fabric") {
    for (Interconnect& link : all()) {
      const auto& technologies = link.technologies;
      if (std::find(technologies.begin(), technologies.end(), device.technology) == technologies.end())
        continue;
      // The device's sheet counts both directions.
      if (device.nvlink_gb_s > 0) link.bandwidth_gb_s = std::min(link.bandwidth_gb_s, device.nvlink_gb_s / 2);
      return link;
    }
  }
  if (device.pcie_generation <= 0) {
    throw bad_use(device.key + " has no link to others of its kind that is known: --interconnect names one");
  }
  Interconnect link = find("pcie" + number_text(device.pcie_generation) + "-x16");
  link.bandwidth_gb_s *= device.pcie_lanes / 16;
  return link;
}

}  // namespace layersim
