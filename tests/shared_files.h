#pragma once
// Access to the folder of measured data and real networks, which a clone need not have.

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>

namespace layersim::tests {

inline std::filesystem::path shared_path(const std::string& relative) {
  const char* override_dir = std::getenv("LAYERSIM_SHARED_DIR");
  return std::filesystem::path(override_dir != nullptr ? override_dir : LAYERSIM_SHARED_DIR) / relative;
}

// False, with the line that makes CTest report the test as skipped, when the file or folder is not there.
inline bool have_shared(const std::string& relative) {
  if (std::filesystem::exists(shared_path(relative))) return true;
  std::cout << "SKIPPED: needs shared/" << relative << '\n';
  return false;
}

}  // namespace layersim::tests
