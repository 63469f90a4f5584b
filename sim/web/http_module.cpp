#include "sim/web/http_module.h"

#include <dlfcn.h>

#include <filesystem>

#include "sim/core/error.h"

namespace layersim {
namespace {

constexpr const char* kModule = "layersim_web.so";

// Where it is installed, or in the build folder.
std::filesystem::path find_module() {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  for (const std::filesystem::path& place :
       {folder, folder / ".." / "lib" / "layersim", std::filesystem::path(LAYERSIM_MODULE_BUILD_DIR)}) {
    if (std::filesystem::exists(place / kModule, error)) return place / kModule;
  }
  throw bad_use("this layersim was built without the web server, which needs libcpp-httplib-dev");
}

}  // namespace

std::unique_ptr<HttpServer> make_http_server(const HttpOptions& options) {
  using Entry = decltype(&layersim_http_server);
  static void* const module = dlopen(find_module().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) throw bad_use("the web server cannot be loaded: " + std::string(dlerror()));
  const auto entry =
      reinterpret_cast<Entry>(dlsym(module, "layersim_http_server"));  // NOLINT: as POSIX has it
  if (entry == nullptr) throw bad_use(std::string(kModule) + " is not the web server of this program");
  return std::unique_ptr<HttpServer>(entry(options));
}

}  // namespace layersim
