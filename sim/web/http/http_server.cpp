#include "sim/web/http/http_server.h"

#include <httplib.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <optional>
#include <thread>

#include "sim/web/http/worker_pool.h"

namespace layersim {
namespace {

constexpr int kWaitingConnections = 512;  // in the operating system

class Queue : public httplib::TaskQueue {
 public:
  explicit Queue(std::size_t threads) : pool_(threads) {}
  void enqueue(std::function<void()> work) override { pool_.add(std::move(work)); }
  void shutdown() override { pool_.finish(); }

 private:
  WorkerPool pool_;
};

// A file that is gone with the object.
class UploadFile {
 public:
  explicit UploadFile(const std::filesystem::path& folder) : name_((folder / "upload-XXXXXX").string()) {
    descriptor_ = ::mkstemp(name_.data());
  }
  ~UploadFile() {
    if (descriptor_ < 0) return;
    ::close(descriptor_);
    ::unlink(name_.c_str());
  }
  UploadFile(const UploadFile&) = delete;
  UploadFile& operator=(const UploadFile&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] bool write(const char* bytes, std::size_t size) const {
    while (size > 0) {
      const ssize_t written = ::write(descriptor_, bytes, size);
      if (written <= 0) return false;
      bytes += written;
      size -= static_cast<std::size_t>(written);
    }
    return descriptor_ >= 0;
  }

 private:
  std::string name_;
  int descriptor_ = -1;
};

// One of so many, while it lives.
class Share {
 public:
  Share(std::atomic<std::size_t>& used, std::size_t most) : used_(used), held_(++used <= most) {}
  ~Share() { --used_; }
  Share(const Share&) = delete;
  Share& operator=(const Share&) = delete;
  explicit operator bool() const { return held_; }

 private:
  std::atomic<std::size_t>& used_;
  bool held_;
};

HttpRequest plain_request(const httplib::Request& request) {
  HttpRequest plain;
  plain.method = request.method;
  plain.path = request.path;
  plain.query = {request.params.begin(), request.params.end()};
  plain.host = request.get_header_value("Host");
  plain.origin = request.get_header_value("Origin");
  plain.content_type = request.get_header_value("Content-Type");
  return plain;
}

void fill(httplib::Response& response, const HttpAnswer& answer) {
  response.status = answer.status;
  for (const auto& [name, value] : answer.headers) response.set_header(name, value);
  response.set_content(answer.body, answer.type);
}

class Server : public HttpServer {
 public:
  explicit Server(const HttpOptions& options) : options_(options) {
    const auto threads = options_.connections;
    server_.new_task_queue = [threads] { return new Queue(threads); };
    server_.set_payload_max_length(
        static_cast<std::size_t>(std::max(options_.body_bytes, options_.upload_bytes)));
    server_.set_read_timeout(options_.idle_time);
    server_.set_write_timeout(options_.idle_time);
    server_.set_keep_alive_timeout(options_.idle_time.count());
    server_.set_keep_alive_max_count(100'000);
    httplib::Headers headers;
    for (const auto& [name, value] : options_.headers) headers.emplace(name, value);
    server_.set_default_headers(std::move(headers));
    // No two servers on one port, as SO_REUSEPORT would allow.
    server_.set_socket_options([this](socket_t socket) {
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
      socket_ = socket;
    });
    server_.Get(".*", [this](const httplib::Request& request, httplib::Response& response) {
      fill(response, options_.answer(plain_request(request)));
    });
    const auto with_body = [this](const httplib::Request& request, httplib::Response& response,
                                  const httplib::ContentReader& reader) {
      receive(request, response, reader);
    };
    server_.Post(".*", with_body);
    const auto refuse = [this](const httplib::Request&, httplib::Response& response,
                               const httplib::ContentReader&) {
      close_with(response, 405, "only GET and POST");
    };
    server_.Put(".*", refuse);
    server_.Patch(".*", refuse);
    server_.Delete(".*", refuse);
    server_.Options(".*", [this](const httplib::Request&, httplib::Response& response) {
      close_with(response, 405, "only GET and POST");
    });
    server_.set_error_handler([this](const httplib::Request&, httplib::Response& response) {
      if (response.body.empty())
        fill(response, options_.error(response.status, "the request cannot be served"));
    });
    server_.set_exception_handler(
        [this](const httplib::Request&, httplib::Response& response, const std::exception_ptr&) {
          close_with(response, 500, "internal error");
        });
  }

  [[nodiscard]] bool bind() override {
    port_ = options_.port;
    if (port_ == 0) {
      port_ = server_.bind_to_any_port(options_.address);
      if (port_ < 0) return false;
    } else if (!server_.bind_to_port(options_.address, port_)) {
      return false;
    }
    // The library lets five wait.
    return ::listen(socket_, kWaitingConnections) == 0;
  }
  [[nodiscard]] int port() const override { return port_; }
  void run() override {
    started_ = true;
    if (!stopping_) server_.listen_after_bind();
    finished_ = true;
  }
  void stop() override {
    stopping_ = true;
    // The library forgets a stop that comes before it listens.
    while (started_ && !finished_ && !server_.is_running()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    server_.stop();
  }

 private:
  // The rest of the request is not read, so the connection cannot go on.
  void close_with(httplib::Response& response, int status, const std::string& message) const {
    fill(response, options_.error(status, message));
    response.set_header("Connection", "close");
  }

  void receive(const httplib::Request& request, httplib::Response& response,
               const httplib::ContentReader& reader) {
    if (request.is_multipart_form_data()) {
      close_with(response, 415, "the body is the file itself, or JSON, and no form");
      return;
    }
    HttpRequest plain = plain_request(request);
    const bool is_upload = options_.is_upload(plain.method, plain.path);
    std::optional<UploadFile> file;
    std::optional<Share> share;
    if (is_upload) {
      share.emplace(uploads_, options_.uploads);
      if (!*share) {
        close_with(response, 503, "busy with other uploads: try again later");
        return;
      }
      file.emplace(options_.upload_folder);
      plain.upload_file = file->name();
    }
    const std::int64_t most = is_upload ? options_.upload_bytes : options_.body_bytes;
    const auto end = std::chrono::steady_clock::now() + options_.upload_time;
    std::int64_t size = 0;
    int refused = 0;
    const bool complete = reader([&](const char* bytes, std::size_t count) {
      size += static_cast<std::int64_t>(count);
      if (size > most) refused = 413;
      if (std::chrono::steady_clock::now() > end) refused = 408;
      if (refused == 0 && file && !file->write(bytes, count)) refused = 507;
      if (refused == 0 && !file) plain.body.append(bytes, count);
      return refused == 0;
    });
    if (refused == 0 && !complete) refused = response.status == 413 ? 413 : 400;
    if (refused != 0) {
      close_with(response, refused,
                 refused == 413 ? "the body is larger than " + std::to_string(most) + " bytes"
                                : "the body cannot be received");
      return;
    }
    fill(response, options_.answer(plain));
  }

  HttpOptions options_;
  httplib::Server server_;
  std::atomic<std::size_t> uploads_{0};
  std::atomic<bool> started_{false};
  std::atomic<bool> stopping_{false};
  std::atomic<bool> finished_{false};
  socket_t socket_ = INVALID_SOCKET;
  int port_ = 0;
};

}  // namespace
}  // namespace layersim

layersim::HttpServer* layersim_http_server(const layersim::HttpOptions& options) {
  return new layersim::Server(options);
}
