#include "sim/core/module_loader.h"

#include <dlfcn.h>

#include <filesystem>
#include <map>
#include <string>

#include "sim/core/error.h"

namespace layersim {
namespace {

std::filesystem::path find_module(const char* file) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  for (const std::filesystem::path& place :
       {folder, folder / ".." / "lib" / "layersim", std::filesystem::path(LAYERSIM_MODULE_BUILD_DIR)}) {
    if (std::filesystem::exists(place / file, error)) return place / file;
  }
  return {};
}

void* load(const char* file) {
  const std::filesystem::path path = find_module(file);
  if (path.empty()) return nullptr;
  void* loaded = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr)
    throw bad_use(std::string(file) + " cannot be loaded: " + dlerror());  // NOLINT: one thread loads
  return loaded;
}

}  // namespace

bool has_module(const char* file) { return !find_module(file).empty(); }

void* find_module_entry(const char* file, const char* entry) {
  static std::map<std::string, void*> modules;
  auto found = modules.find(file);
  if (found == modules.end()) found = modules.emplace(file, load(file)).first;
  if (found->second == nullptr) return nullptr;
  void* function = dlsym(found->second, entry);
  if (function == nullptr) throw bad_use(std::string(file) + " is not a module of this program");
  return function;
}

}  // namespace layersim
