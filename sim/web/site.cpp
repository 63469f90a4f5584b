#include "sim/web/site.h"

#include <stdlib.h>

#include "sim/core/error.h"
#include "sim/web/host_check.h"

namespace layersim {
namespace {

// Scripts, styles and connections of this server alone, and nobody may put the page into a frame.
constexpr std::string_view kContentSecurityPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

constexpr std::string_view kNoPage =
    "The page of layersim was not built. It needs node and npm: `./dev page` builds it.\n"
    "The interface for programs works without: /api/v1/openapi.json describes it.\n";

std::filesystem::path make_private_folder() {
  std::string name = (std::filesystem::temp_directory_path() / "layersim-uploads-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw bad_use(name + ": cannot be made");
  return name;
}

HttpAnswer http_answer(ApiAnswer answer) {
  HttpAnswer result{
      .status = answer.status, .type = answer.type, .body = std::move(answer.body), .headers = {}};
  if (!answer.file_name.empty()) {
    result.headers.emplace_back("Content-Disposition", "attachment; filename=\"" + answer.file_name + "\"");
  }
  result.headers.emplace_back("Cache-Control", "no-store");
  if (answer.status == 503) result.headers.emplace_back("Retry-After", "1");
  return result;
}

HttpAnswer refuse(int status, std::string_view message) { return http_answer(api_error(status, message)); }

}  // namespace

Site::Site(const SiteOptions& options, std::unique_ptr<const Predictor> predictor, Assets assets)
    : options_(options),
      is_local_(options.address == "127.0.0.1" || options.address == "::1" || options.address == "localhost"),
      api_(options.limits, std::move(predictor)),
      assets_(std::move(assets)),
      upload_folder_(make_private_folder()) {}

Site::~Site() {
  std::error_code ignored;
  std::filesystem::remove_all(upload_folder_, ignored);
}

HttpAnswer Site::answer(const HttpRequest& request) {
  if (is_local_ && !is_loopback_host(request.host)) {
    return refuse(421, "this server is for the machine that it runs on");
  }
  if (!is_same_origin(request.origin, request.host))
    return refuse(403, "requests of other sites are not served");
  if (request.path.starts_with("/api/")) {
    return http_answer(api_.answer({.method = request.method,
                                    .path = request.path,
                                    .query = request.query,
                                    .body = request.body,
                                    .upload_file = request.upload_file}));
  }
  if (request.method != "GET") return refuse(405, "only GET");
  if (const Asset* asset = assets_.find(request.path)) {
    return {
        .status = 200, .type = asset->type, .body = asset->body, .headers = {{"Cache-Control", "no-cache"}}};
  }
  if (request.path == "/" && !assets_.are_there()) {
    return {.status = 200, .type = "text/plain; charset=utf-8", .body = std::string(kNoPage), .headers = {}};
  }
  return refuse(404, "no such path: / is the page, /api/v1/openapi.json describes the interface");
}

HttpOptions Site::http_options() {
  HttpOptions http;
  http.address = options_.address;
  http.port = options_.port;
  http.upload_bytes = options_.limits.upload_bytes;
  http.upload_folder = upload_folder_;
  http.headers = {{"Content-Security-Policy", std::string(kContentSecurityPolicy)},
                  {"X-Content-Type-Options", "nosniff"},
                  {"X-Frame-Options", "DENY"},
                  {"Referrer-Policy", "no-referrer"},
                  {"Cross-Origin-Opener-Policy", "same-origin"},
                  {"Cross-Origin-Resource-Policy", "same-origin"}};
  http.is_upload = [](const std::string& method, const std::string& path) {
    return layersim::is_upload(method, path);
  };
  http.answer = [this](const HttpRequest& request) { return answer(request); };
  http.error = [](int status, const std::string& message) { return refuse(status, message); };
  return http;
}

}  // namespace layersim
