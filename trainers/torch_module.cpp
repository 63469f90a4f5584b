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

}  // namespace

const Trainer* load_torch_trainer() {
  static const Trainer* const trainer = []() -> const Trainer* {
    const std::filesystem::path file = find_module();
    if (file.empty()) return nullptr;
    void* module = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (module == nullptr) throw bad_use("the libtorch trainer cannot be loaded: " + std::string(dlerror()));
    using Entry = decltype(&layersim_torch_trainer);
    const auto entry =
        reinterpret_cast<Entry>(dlsym(module, "layersim_torch_trainer"));  // NOLINT: as POSIX has it
    if (entry == nullptr) throw bad_use(file.string() + " is not the libtorch trainer of this program");
    return entry();
  }();
  return trainer;
}

}  // namespace layersim
