#include "hwdb/device_db.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "hwdb/device_file.h"
#include "sim/core/config_dir.h"
#include "sim/core/error.h"
#include "sim/core/nearest_names.h"
#include "sim/core/strict_json.h"

namespace layersim {
namespace {

// Words that say who made or sells a device and not which one it is.
constexpr std::array<std::string_view, 9> kBrandWords{
    "nvidia", "geforce",  "tesla", "quadro",  "amd",
    "radeon", "instinct", "intel", "standard" /* Azure instances */};
constexpr std::size_t kSuggestions = 3;
constexpr std::size_t kLongestShown = 60;

void erase_all(std::string& text, std::string_view part) {
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at)) {
    text.erase(at, part.size());
  }
}

void add_name(std::map<std::string, std::string>& key_by_name, const std::string& name,
              const std::string& key) {
  const auto [entry, added] = key_by_name.emplace(canonical_device_name(name), key);
  if (added || entry->second == key) return;
  throw bad_input("devices '" + entry->second + "' and '" + key + "' are both named '" + name + "'");
}

// Keys of the devices whose names are nearest, without repetition.
std::string nearest_keys(const std::string& canonical,
                         const std::map<std::string, std::string>& key_by_name) {
  std::vector<std::string> names;
  names.reserve(key_by_name.size());
  for (const auto& [name, key] : key_by_name) names.push_back(name);
  std::vector<std::string> keys;
  for (const std::string& name : nearest_names(canonical, names, names.size())) {
    const std::string& key = key_by_name.at(name);
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    keys.push_back(key);
    if (keys.size() == kSuggestions) break;
  }
  return suggest("; the nearest are ", keys);
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

std::optional<Device> DeviceDb::find_known(std::string_view name) const {
  if (is_device_key(name)) {
    if (auto device = find_key(std::string(name))) return device;
  }
  const KeyByName key_by_name = index_names();
  const auto found = key_by_name.find(canonical_device_name(name));
  if (found == key_by_name.end()) return std::nullopt;
  return read(folder_ / (found->second + ".json"));
}

Device DeviceDb::find(std::string_view name) const {
  if (auto device = find_known(name)) return *std::move(device);
  const std::string nearest = nearest_keys(canonical_device_name(name), index_names());
  throw bad_use("no device is named '" + std::string(name.substr(0, kLongestShown)) + "'" + nearest);
}

std::optional<Device> DeviceDb::find_key(const std::string& key) const {
  const std::filesystem::path file = folder_ / (key + ".json");
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return std::nullopt;
  return read(file);
}

std::vector<Device> DeviceDb::all() const {
  std::vector<Device> devices;
  KeyByName key_by_name;
  for (const auto& file : files()) {
    devices.push_back(read(file));
    const Device& device = devices.back();
    add_name(key_by_name, device.key, device.key);
    add_name(key_by_name, device.display_name, device.key);
    for (const std::string& alias : device.aliases) add_name(key_by_name, alias, device.key);
  }
  return devices;
}

std::vector<std::filesystem::path> DeviceDb::files() const {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, error)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  if (error) throw bad_use("the folder of devices " + folder_.string() + " cannot be read");
  std::sort(files.begin(), files.end());
  return files;
}

Device DeviceDb::read(const std::filesystem::path& file) const {
  Device device = read_device_file(file);
  if (device.key != file.stem()) {
    throw bad_input(file.string() + ": key '" + device.key + "' is not the file's name");
  }
  return device;
}

DeviceDb::KeyByName DeviceDb::index_names() const {
  constexpr std::array<std::string_view, 2> kNames{"display_name", "aliases"};
  KeyByName key_by_name;
  for (const auto& file : files()) {
    const std::string key = file.stem().string();
    add_name(key_by_name, key, key);
    const Json members = peek_members(read_small_file(file), kNames);
    for (const Json& member : members) {
      const Json names = member.is_array() ? member : Json::array({member});
      for (const Json& name : names) {
        if (name.is_string()) add_name(key_by_name, name.get<std::string>(), key);
      }
    }
  }
  return key_by_name;
}

}  // namespace layersim
