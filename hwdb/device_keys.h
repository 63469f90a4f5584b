#pragma once
// The keys of devices that the rows of a table name, each name looked up once.

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "hwdb/device_db.h"

namespace layersim {

class DeviceKeys {
 public:
  // Throws bad_input, with the nearest names, when no device has the name.
  [[nodiscard]] const std::string& find(std::string_view name);
  // The same, but nothing when no device has it.
  [[nodiscard]] const std::optional<std::string>& find_known(std::string_view name);

 private:
  DeviceDb devices_;
  std::map<std::string, std::optional<std::string>, std::less<>> keys_;
};

}  // namespace layersim
