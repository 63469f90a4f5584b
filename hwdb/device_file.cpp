#include "hwdb/device_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <type_traits>
#include <variant>

#include "sim/core/nearest_names.h"
#include "sim/core/strict_json.h"

namespace layersim {
namespace {

// A number of the file, the member it goes to and the range of what is believable. Optional members may be
// absent.
struct NumberField {
  std::string_view key;
  std::variant<int Device::*, double Device::*, std::optional<double> Device::*> member;
  double low;
  double high;
};

const std::array kNumbers{
    NumberField{"year", &Device::year, 2005, 2100},
    NumberField{"chips_on_board", &Device::chips_on_board, 1, 16},
    NumberField{"multiprocessors", &Device::multiprocessors, 1, 1e6},
    NumberField{"cores", &Device::cores, 1, 1e7},
    NumberField{"flop_per_core_per_clock", &Device::flop_per_core_per_clock, 1, 64},
    NumberField{"clock_base_mhz", &Device::clock_base_mhz, 100, 1e4},
    NumberField{"clock_boost_mhz", &Device::clock_boost_mhz, 100, 1e4},
    NumberField{"clock_peak_mhz", &Device::clock_peak_mhz, 100, 1e4},
    NumberField{"peak_fp32_gflops", &Device::peak_fp32_gflops, 1, 1e8},
    NumberField{"peak_fp32_tensor_gflops", &Device::peak_fp32_tensor_gflops, 1, 1e8},
    NumberField{"peak_fp64_gflops", &Device::peak_fp64_gflops, 1, 1e8},
    NumberField{"peak_fp64_tensor_gflops", &Device::peak_fp64_tensor_gflops, 1, 1e8},
    NumberField{"peak_fp16_gflops", &Device::peak_fp16_gflops, 1, 1e8},
    NumberField{"peak_fp16_tensor_gflops", &Device::peak_fp16_tensor_gflops, 1, 1e8},
    NumberField{"peak_bf16_tensor_gflops", &Device::peak_bf16_tensor_gflops, 1, 1e8},
    NumberField{"peak_tf32_tensor_gflops", &Device::peak_tf32_tensor_gflops, 1, 1e8},
    NumberField{"peak_fp8_tensor_gflops", &Device::peak_fp8_tensor_gflops, 1, 1e8},
    NumberField{"peak_int8_gops", &Device::peak_int8_gops, 1, 1e9},
    NumberField{"memory_gib", &Device::memory_gib, 0.25, 1e6},
    NumberField{"memory_bandwidth_gb_s", &Device::memory_bandwidth_gb_s, 1, 1e6},
    NumberField{"memory_bus_width_bits", &Device::memory_bus_width_bits, 16, 1e6},
    NumberField{"memory_data_rate_gt_s", &Device::memory_data_rate_gt_s, 0.1, 200},
    NumberField{"l2_cache_mib", &Device::l2_cache_mib, 0.01, 1e5},
    NumberField{"l3_cache_mib", &Device::l3_cache_mib, 0.1, 1e5},
    NumberField{"pcie_generation", &Device::pcie_generation, 0, 10},
    NumberField{"pcie_lanes", &Device::pcie_lanes, 0, 64},
    NumberField{"nvlink_gb_s", &Device::nvlink_gb_s, 0, 1e5},
    NumberField{"tdp_w", &Device::tdp_w, 1, 1e5},
};

struct TextField {
  std::string_view key;
  std::string Device::*member;
};

const std::array kTexts{
    TextField{"technology", &Device::technology},
    TextField{"chip", &Device::chip},
    TextField{"memory_type", &Device::memory_type},
    TextField{"connectivity", &Device::connectivity},
};

// Throws bad_use with the nearest keys.
const NumberField& number_field(std::string_view key) {
  std::vector<std::string> keys;
  for (const NumberField& field : kNumbers) {
    if (field.key == key) return field;
    keys.emplace_back(field.key);
  }
  throw bad_use("a device has no number '" + std::string(key) + "'" +
                suggest("; the nearest is ", nearest_names(key, keys, 1)));
}

// How far a published product may lie from its factors: data sheets round.
constexpr double kTolerance = 0.03;

// Citations by their short names, and which of them some fact names.
class Sources {
 public:
  explicit Sources(const JsonObject& table) : table_(table) {
    for (const std::string& name : table.keys()) citations_[name] = table.get<std::string>(name);
  }

  const std::string& cite(const JsonObject& fact) {
    const auto name = fact.get<std::string>("source");
    const auto found = citations_.find(name);
    if (found == citations_.end()) throw fact.error("source", "'" + name + "' is not among the sources");
    cited_.insert(name);
    return found->second;
  }

  void check_all_cited() const {
    for (const auto& [name, citation] : citations_) {
      if (cited_.count(name) == 0) throw table_.error(name, "no value cites this source");
    }
  }

 private:
  JsonObject table_;
  std::map<std::string, std::string> citations_;
  std::set<std::string> cited_;
};

std::string one_of(const JsonObject& object, std::string_view key, const std::vector<std::string>& choices) {
  auto value = object.get<std::string>(key);
  if (std::find(choices.begin(), choices.end(), value) != choices.end()) return value;
  std::string known;
  for (const std::string& choice : choices) known += (known.empty() ? "" : ", ") + choice;
  throw object.error(key, "'" + value + "' is not one of " + known);
}

double whole_number(const JsonObject& fact, double value) {
  if (value != std::floor(value)) throw fact.error("value", "must be a whole number");
  return value;
}

void read_number(const JsonObject& root, const NumberField& field, Sources& sources, Device& device) {
  const bool optional = std::holds_alternative<std::optional<double> Device::*>(field.member);
  if (optional && !root.has(field.key)) return;
  const auto fact = root.get<JsonObject>(field.key);
  const double value = fact.number("value", field.low, field.high);
  if (const auto* whole = std::get_if<int Device::*>(&field.member)) {
    device.*(*whole) = static_cast<int>(whole_number(fact, value));
  } else if (const auto* number = std::get_if<double Device::*>(&field.member)) {
    device.*(*number) = value;
  } else {
    device.*std::get<std::optional<double> Device::*>(field.member) = value;
  }
  device.facts.push_back({std::string(field.key), number_text(value), sources.cite(fact)});
}

void read_text(const JsonObject& root, const TextField& field, Sources& sources, Device& device) {
  const auto fact = root.get<JsonObject>(field.key);
  device.*field.member = fact.get<std::string>("value");
  if ((device.*field.member).empty()) throw fact.error("value", "must not be empty");
  device.facts.push_back({std::string(field.key), device.*field.member, sources.cite(fact)});
}

void check_product(const JsonObject& root, std::string_view key, double value, double product,
                   const std::string& rule) {
  if (std::abs(value / product - 1) <= kTolerance) return;
  throw root.error(key, number_text(value) + " is not within 3 % of " + rule + " = " + number_text(product));
}

void check_lanes(const JsonObject& root, const Device& device) {
  constexpr double kMostLanes = 1024;  // those that are known have up to 192
  const double lanes = device.cores / device.multiprocessors;
  if (lanes >= 1 && lanes <= kMostLanes) return;
  throw root.error("multiprocessors", "each has " + number_text(lanes) + " of the " +
                                          number_text(device.cores) + " cores, which is not within 1 to " +
                                          number_text(kMostLanes));
}

void check_consistency(const JsonObject& root, const Device& device) {
  check_lanes(root, device);
  check_product(root, "peak_fp32_gflops", device.peak_fp32_gflops,
                device.flop_per_core_per_clock * device.cores * device.clock_peak_mhz / 1000,
                "flop_per_core_per_clock x cores x clock_peak_mhz / 1000");
  if (device.memory_bus_width_bits && device.memory_data_rate_gt_s) {
    check_product(root, "memory_bandwidth_gb_s", device.memory_bandwidth_gb_s,
                  *device.memory_bus_width_bits / 8 * *device.memory_data_rate_gt_s,
                  "memory_bus_width_bits / 8 x memory_data_rate_gt_s");
  }
  if (device.clock_base_mhz && device.clock_boost_mhz && *device.clock_base_mhz > *device.clock_boost_mhz) {
    throw root.error("clock_base_mhz", "above clock_boost_mhz");
  }
}

Device read_device(const JsonObject& root) {
  Device device;
  device.key = root.get<std::string>("key");
  if (!is_device_key(device.key)) throw root.error("key", "must be lower-case letters, digits and hyphens");
  device.display_name = root.get<std::string>("display_name");
  device.aliases = root.get<std::vector<std::string>>("aliases");
  device.device_type = one_of(root, "device_type", {"gpu", "cpu"});
  device.manufacturer = root.get<std::string>("manufacturer");
  if (device.manufacturer.empty()) throw root.error("manufacturer", "must not be empty");
  device.market = one_of(root, "market", {"datacenter", "workstation", "gaming", "server", "desktop"});
  Sources sources(root.get<JsonObject>("sources"));
  for (const TextField& field : kTexts) read_text(root, field, sources, device);
  for (const NumberField& field : kNumbers) read_number(root, field, sources, device);
  sources.check_all_cited();
  check_consistency(root, device);
  return device;
}

}  // namespace

Device read_device_file(const std::filesystem::path& path) { return read_json_file(path, read_device); }

Device read_device_text(const std::string& name, std::string_view text) {
  return read_json_text(name, text, read_device);
}

void set_device_number(Device& device, std::string_view key, double value) {
  const NumberField& field = number_field(key);
  if (value < field.low || value > field.high) {
    throw bad_use(std::string(key) + " must be from " + number_text(field.low) + " to " +
                  number_text(field.high) + ", not " + number_text(value));
  }
  std::visit(
      [&](const auto& member) {
        using Number = std::remove_cvref_t<decltype(device.*member)>;
        device.*member = static_cast<std::conditional_t<std::is_same_v<Number, int>, int, double>>(value);
      },
      field.member);
  for (DeviceFact& fact : device.facts) {
    if (fact.name == key) fact = {fact.name, number_text(value), "assumed"};
  }
}

std::optional<double> device_number(const Device& device, std::string_view key) {
  return std::visit([&](const auto& member) { return std::optional<double>(device.*member); },
                    number_field(key).member);
}

bool is_device_key(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

}  // namespace layersim
