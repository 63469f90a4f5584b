#pragma once
// The web application's interface, without HTTP: a request is a method, a path, parameters and perhaps a
// body; an answer a status, a type and a body. Networks are named by their name in the zoo or by the id of an
// upload, never by a file.

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "sim/predictors/predictor.h"

namespace layersim {

struct ApiLimits {
  std::int64_t upload_bytes = 64LL << 20;
  std::chrono::milliseconds request_time{10'000};  // of computing, and of waiting for it
  std::size_t kept_uploads = 32;                   // the one that was used longest ago goes
  std::int64_t upload_nodes = 100'000;
  std::size_t study_cells = 4'000;  // networks x hardware x batches
  std::int64_t batch = 1 << 20;
};

struct ApiRequest {
  std::string_view method;  // "GET", "POST"
  std::string_view path;
  std::multimap<std::string, std::string> query;
  std::string_view body;              // JSON
  std::filesystem::path upload_file;  // holds the body of an upload instead
};

struct ApiAnswer {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  std::string file_name;  // not empty: to be saved under this name
};

// The paths that take an upload as body.
[[nodiscard]] bool is_upload(std::string_view method, std::string_view path);

class Api {
 public:
  // `predictor` answers all questions.
  Api(ApiLimits limits, std::unique_ptr<const Predictor> predictor);
  ~Api();
  Api(const Api&) = delete;
  Api& operator=(const Api&) = delete;

  [[nodiscard]] const ApiLimits& limits() const;
  // By any number of threads at once. Throws nothing but std::bad_alloc.
  [[nodiscard]] ApiAnswer answer(const ApiRequest& request);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

// {"error": {"status": 404, "message": "..."}}
[[nodiscard]] ApiAnswer api_error(int status, std::string_view message);

}  // namespace layersim
