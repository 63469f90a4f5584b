#pragma once
// The devices that have a file in configs/gpus. A name is a key ("v100-sxm2") or an alias: another spelling,
// the string that a driver reports, or a cloud instance that carries the device. Spelling is forgiving
// (letter case, blanks, hyphens and words such as NVIDIA or GeForce do not count), the meaning is not: an
// alias stands in exactly one file.

#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hwdb/device.h"

namespace layersim {

// What of a name counts: "NVIDIA GeForce RTX 2080 Ti" and "rtx2080ti" give "rtx2080ti".
[[nodiscard]] std::string canonical_device_name(std::string_view name);

class DeviceDb {
 public:
  DeviceDb();  // configs/gpus
  explicit DeviceDb(std::filesystem::path folder);

  // By a key reads one file; by an alias all of them, once. Throws bad_use, with the nearest names, when
  // there is none.
  [[nodiscard]] Device find(std::string_view name);
  // All devices, by key. Throws bad_input when two files share a name.
  [[nodiscard]] const std::vector<Device>& all();

 private:
  [[nodiscard]] Device read(const std::filesystem::path& file) const;
  void load();

  std::filesystem::path folder_;
  bool loaded_ = false;
  std::vector<Device> devices_;
  std::unordered_map<std::string, std::size_t> index_by_name_;  // canonical name -> devices_
};

}  // namespace layersim
