#pragma once
// What the web server serves: the page and the interface, behind the checks and headers that keep a browser
// safe.

#include <memory>
#include <string>

#include "sim/web/api.h"
#include "sim/web/assets.h"
#include "sim/web/http/http_server.h"

namespace layersim {

struct SiteOptions {
  std::string address = "127.0.0.1";
  int port = 0;
  ApiLimits limits;
};

class Site {
 public:
  Site(const SiteOptions& options, std::unique_ptr<const Predictor> predictor, Assets assets);
  ~Site();
  Site(const Site&) = delete;
  Site& operator=(const Site&) = delete;

  [[nodiscard]] HttpAnswer answer(const HttpRequest& request);
  // For the server of this site; the site must stay.
  [[nodiscard]] HttpOptions http_options();

 private:
  SiteOptions options_;
  bool is_local_;  // only this machine is served
  Api api_;
  Assets assets_;
  std::filesystem::path upload_folder_;  // its own, removed with it
};

}  // namespace layersim
