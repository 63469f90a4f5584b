#pragma once
// The devices that have a file in configs/gpus. A name is a key ("v100-sxm2") or an alias: another spelling,
// the string that a driver reports, or a cloud instance that carries the device. Spelling is forgiving
// (letter case, blanks, hyphens and words such as NVIDIA or GeForce do not count), the meaning is not: an
// alias stands in exactly one file.

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hwdb/device.h"

namespace layersim {

// What of a name counts: "NVIDIA GeForce RTX 2080 Ti" and "rtx2080ti" give "rtx2080ti".
[[nodiscard]] std::string canonical_device_name(std::string_view name);

class DeviceDb {
 public:
  DeviceDb();  // configs/gpus
  explicit DeviceDb(std::filesystem::path folder);

  // Reads one file; an alias is looked up in the first lines of all. Throws bad_use, with the nearest names,
  // when there is none, bad_input when two files have the name.
  [[nodiscard]] Device find(std::string_view name) const;
  // The same, but nothing when no device has the name.
  [[nodiscard]] std::optional<Device> find_known(std::string_view name) const;
  // By its key alone; nothing when no device has it.
  [[nodiscard]] std::optional<Device> find_key(const std::string& key) const;
  // All devices, by key.
  [[nodiscard]] std::vector<Device> all() const;

 private:
  using KeyByName = std::map<std::string, std::string>;  // canonical name -> key

  [[nodiscard]] std::vector<std::filesystem::path> files() const;
  [[nodiscard]] Device read(const std::filesystem::path& file) const;
  [[nodiscard]] KeyByName index_names() const;

  std::filesystem::path folder_;
};

}  // namespace layersim
