#pragma once
// The files of the page, which is built apart (sim/web/page, `./dev page`). They are read once at the start:
// no request opens a file.

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace layersim {

struct Asset {
  std::string type;  // "text/css; charset=utf-8"
  std::string body;
};

class Assets {
 public:
  // Where the page lies: with the installed data files, or where a source tree builds it.
  Assets();
  explicit Assets(const std::filesystem::path& folder);

  // False: the page was not built.
  [[nodiscard]] bool are_there() const { return assets_.count("/index.html") > 0; }
  // "/" is "/index.html"; nullptr when there is none of that path.
  [[nodiscard]] const Asset* find(const std::string& path) const;

 private:
  void read(const std::filesystem::path& folder);

  std::map<std::string, Asset> assets_;
};

}  // namespace layersim
