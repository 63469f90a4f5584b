#include "sim/web/assets.h"

#include <array>

#include "sim/core/config_dir.h"
#include "sim/core/strict_json.h"

namespace layersim {
namespace {

// Extensions of files that are served, and their types.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kTypes{{
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".svg", "image/svg+xml"},
}};

}  // namespace

Assets::Assets() {
  read(config_dir() / "page");
  if (!are_there()) read(LAYERSIM_SOURCE_PAGE_DIR);
}

Assets::Assets(const std::filesystem::path& folder) { read(folder); }

void Assets::read(const std::filesystem::path& folder) {
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
    if (!entry.is_regular_file()) continue;
    for (const auto& [extension, type] : kTypes) {
      if (entry.path().extension() != extension) continue;
      assets_['/' + entry.path().filename().string()] = {std::string(type), read_small_file(entry.path())};
    }
  }
}

const Asset* Assets::find(const std::string& path) const {
  const auto found = assets_.find(path == "/" ? "/index.html" : path);
  return found == assets_.end() ? nullptr : &found->second;
}

}  // namespace layersim
