#include "hwdb/device_keys.h"

#include "sim/core/error.h"

namespace layersim {

const std::optional<std::string>& DeviceKeys::find_known(std::string_view name) {
  const auto found = keys_.find(name);
  if (found != keys_.end()) return found->second;
  const auto known = devices_.find_known(name);
  return keys_[std::string(name)] = known ? std::optional(known->key) : std::nullopt;
}

const std::string& DeviceKeys::find(std::string_view name) {
  const auto found = keys_.find(name);
  if (found != keys_.end() && found->second) return *found->second;
  try {
    return *(keys_[std::string(name)] = devices_.find(name).key);
  } catch (const Error& error) {
    throw bad_input(error.what());
  }
}

}  // namespace layersim
