#include "trainers/torch_module.h"

#include <dlfcn.h>

#include <filesystem>
#include <string>

#include "sim/core/error.h"
#include "trainers/trainer_module.h"

namespace layersim {
namespace {

constexpr const char* kModule = "layersim_torch.so";

// Where it is installed, or in the build folder.
std::filesystem::path find_module() {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  for (const std::filesystem::path& place :
       {folder, folder / ".." / "lib" / "layersim", std::filesystem::path(LAYERSIM_MODULE_BUILD_DIR)}) {
    if (std::filesystem::exists(place / kModule, error)) return place / kModule;
  }
  return {};
}

// A function of the module; nullptr when there is no module.
void* find_entry(const char* name) {
  static void* const module = []() -> void* {
    const std::filesystem::path file = find_module();
    if (file.empty()) return nullptr;
    void* loaded = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (loaded == nullptr) throw bad_use("the libtorch trainer cannot be loaded: " + std::string(dlerror()));
    return loaded;
  }();
  if (module == nullptr) return nullptr;
  void* entry = dlsym(module, name);
  if (entry == nullptr) throw bad_use(std::string(kModule) + " is not the libtorch trainer of this program");
  return entry;
}

}  // namespace

const Trainer* load_torch_trainer() {
  using Entry = decltype(&layersim_torch_trainer);
  const auto entry =
      reinterpret_cast<Entry>(find_entry("layersim_torch_trainer"));  // NOLINT: as POSIX has it
  return entry == nullptr ? nullptr : entry();
}

const RunTrainer* load_torch_run_trainer() {
  using Entry = decltype(&layersim_torch_run_trainer);
  const auto entry =
      reinterpret_cast<Entry>(find_entry("layersim_torch_run_trainer"));  // NOLINT: as POSIX has it
  return entry == nullptr ? nullptr : entry();
}

}  // namespace layersim
