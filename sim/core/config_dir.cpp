#include "sim/core/config_dir.h"

#include <cstdlib>

#include "sim/core/error.h"

namespace layersim {

std::filesystem::path config_dir() {
  std::error_code ignored;
  if (const char* set = std::getenv("LAYERSIM_CONFIG_DIR"); set != nullptr && *set != '\0') {
    if (std::filesystem::is_directory(set, ignored)) return set;
    throw bad_use("LAYERSIM_CONFIG_DIR names " + std::string(set) + ", which is not a folder");
  }
  const auto executable = std::filesystem::read_symlink("/proc/self/exe", ignored);
  auto installed = executable.parent_path().parent_path() / "share" / "layersim";
  if (std::filesystem::is_directory(installed, ignored)) return installed;
  std::filesystem::path sources = LAYERSIM_SOURCE_CONFIG_DIR;
  if (std::filesystem::is_directory(sources, ignored)) return sources;
  throw bad_use("the configs folder is neither at " + installed.string() + " nor at " + sources.string() +
                ": set LAYERSIM_CONFIG_DIR");
}

}  // namespace layersim
