#include "hwdb/device_db.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "hwdb/device_file.h"
#include "sim/core/config_dir.h"
#include "sim/core/error.h"
#include "sim/core/nearest_names.h"

namespace layersim {
namespace {

// Words that say who made or sells a device and not which one it is.
constexpr std::array<std::string_view, 9> kBrandWords{
    "nvidia", "geforce",  "tesla", "quadro",  "amd",
    "radeon", "instinct", "intel", "standard" /* Azure instances */};
constexpr std::size_t kSuggestions = 3;
constexpr std::size_t kLongestShown = 60;

void erase_all(std::string& text, std::string_view part) {
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at))
    text.erase(at, part.size());
}

// Canonical name -> place in `devices`.
std::unordered_map<std::string, std::size_t> index_names(const std::vector<Device>& devices) {
  std::unordered_map<std::string, std::size_t> index;
  const auto add = [&](const std::string& name, std::size_t place) {
    const auto [entry, added] = index.emplace(canonical_device_name(name), place);
    if (added || entry->second == place) return;
    throw bad_input("devices '" + devices[entry->second].key + "' and '" + devices[place].key +
                    "' are both named '" + name + "'");
  };
  for (std::size_t place = 0; place < devices.size(); ++place) {
    add(devices[place].key, place);
    add(devices[place].display_name, place);
    for (const std::string& alias : devices[place].aliases) add(alias, place);
  }
  return index;
}

}  // namespace

std::string canonical_device_name(std::string_view name) {
  std::string lower;
  for (const char c : name) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const std::string_view mark : {"(r)", "(tm)"}) erase_all(lower, mark);
  std::string compact;
  for (const char c : lower) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) compact += c;
  }
  std::string_view rest = compact;
  for (bool found = true; found;) {
    found = false;
    for (const std::string_view word : kBrandWords) {
      if (rest.size() > word.size() && rest.substr(0, word.size()) == word) {
        rest.remove_prefix(word.size());
        found = true;
      }
    }
  }
  return std::string(rest);
}

DeviceDb::DeviceDb() : DeviceDb(config_dir() / "gpus") {}

DeviceDb::DeviceDb(std::filesystem::path folder) : folder_(std::move(folder)) {}

Device DeviceDb::read(const std::filesystem::path& file) const {
  Device device = read_device_file(file);
  if (device.key != file.stem())
    throw bad_input(file.string() + ": key '" + device.key + "' is not the file's name");
  return device;
}

Device DeviceDb::find(std::string_view name) {
  std::error_code ignored;
  if (is_device_key(name)) {
    const auto file = folder_ / (std::string(name) + ".json");
    if (std::filesystem::exists(file, ignored)) return read(file);
  }
  load();
  const std::string canonical = canonical_device_name(name);
  if (const auto found = index_by_name_.find(canonical); found != index_by_name_.end())
    return devices_[found->second];

  std::vector<std::string> names;
  for (const auto& [known, index] : index_by_name_) names.push_back(known);
  std::string suggestions;
  std::vector<std::string> keys;
  for (const std::string& near : nearest_names(canonical, names, names.size())) {
    const std::string& key = devices_[index_by_name_.at(near)].key;
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    keys.push_back(key);
    suggestions += (suggestions.empty() ? "" : ", ") + key;
    if (keys.size() == kSuggestions) break;
  }
  throw bad_use("no device is named '" + std::string(name.substr(0, kLongestShown)) + "'" +
                (suggestions.empty() ? "" : "; the nearest are " + suggestions));
}

const std::vector<Device>& DeviceDb::all() {
  load();
  return devices_;
}

void DeviceDb::load() {
  if (loaded_) return;
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, error)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  if (error) throw bad_use("the folder of devices " + folder_.string() + " cannot be read");
  std::sort(files.begin(), files.end());
  std::vector<Device> devices;
  for (const auto& file : files) devices.push_back(read(file));
  index_by_name_ = index_names(devices);
  devices_ = std::move(devices);
  loaded_ = true;
}

}  // namespace layersim
