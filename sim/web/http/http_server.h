#pragma once
// Plain HTTP/1.1 on one address: requests in, answers out, within limits. It knows nothing of what is served.
// The implementation is a module of its own, which http_module.h loads: its libraries are not needed for
// anything else.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace layersim {

struct HttpRequest {
  std::string method;
  std::string path;
  std::multimap<std::string, std::string> query;
  std::string host;    // header
  std::string origin;  // header; empty: none
  std::string content_type;
  std::string body;
  std::filesystem::path upload_file;  // holds the body of an upload; it goes when the request is answered
};

struct HttpAnswer {
  int status = 200;
  std::string type;
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
};

struct HttpOptions {
  std::string address = "127.0.0.1";
  int port = 0;                   // 0: any that is free
  std::size_t connections = 128;  // that are served at once, each by a thread
  std::int64_t body_bytes = 64 << 10;
  std::int64_t upload_bytes = 64LL << 20;
  std::size_t uploads = 4;  // that are received at once
  std::chrono::seconds upload_time{120};
  std::chrono::seconds idle_time{5};    // that a client may take from one piece to the next
  std::filesystem::path upload_folder;  // where uploads lie while they are answered
  std::vector<std::pair<std::string, std::string>> headers;  // of every answer
  std::function<bool(const std::string& method, const std::string& path)> is_upload;
  std::function<HttpAnswer(const HttpRequest&)> answer;             // by any number of threads at once
  std::function<HttpAnswer(int status, const std::string&)> error;  // what the server itself refuses
};

class HttpServer {
 public:
  virtual ~HttpServer() = default;
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // False: the address or port cannot be had. Connections wait from here on.
  [[nodiscard]] virtual bool bind() = 0;
  [[nodiscard]] virtual int port() const = 0;
  // Serves until stop() is called, by any thread; then the requests under way are answered.
  virtual void run() = 0;
  virtual void stop() = 0;

 protected:
  HttpServer() = default;
};

}  // namespace layersim

// The module's entry. The caller owns what it returns.
extern "C" __attribute__((visibility("default"))) layersim::HttpServer* layersim_http_server(
    const layersim::HttpOptions& options);
