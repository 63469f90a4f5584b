// The whole server over a socket, on a port of its own.

#include <catch2/catch.hpp>
#include <iostream>
#include <random>
#include <thread>

#include "sim/core/error.h"
#include "sim/web/http_module.h"
#include "tests/web/raw_client.h"
#include "tests/web/test_site.h"

using namespace layersim;
using namespace layersim::tests;
using Catch::Matchers::Contains;

namespace {

class RunningServer {
 public:
  explicit RunningServer(const SiteOptions& options = {}) : test_(options) {
    HttpOptions http = test_.site.http_options();
    http.idle_time = std::chrono::seconds(1);
    server_ = make_http_server(http);
    REQUIRE(server_->bind());
    serving_ = std::thread([this] { server_->run(); });
  }
  ~RunningServer() {
    server_->stop();
    serving_.join();
  }
  RunningServer(const RunningServer&) = delete;
  RunningServer& operator=(const RunningServer&) = delete;

  [[nodiscard]] int port() const { return server_->port(); }
  [[nodiscard]] TestSite& site() { return test_; }
  [[nodiscard]] bool is_serving() const { return RawClient(port()).get("/api/v1/health").status == 200; }

 private:
  TestSite test_;
  std::unique_ptr<HttpServer> server_;
  std::thread serving_;
};

// The program may be built without cpp-httplib.
bool have_server() {
  try {
    static_cast<void>(make_http_server({}));
    return true;
  } catch (const Error& error) {
    std::cout << "SKIPPED: " << error.what() << '\n';
    return false;
  }
}

}  // namespace

TEST_CASE("over HTTP: several requests on one connection, with safe headers") {
  if (!have_server()) return;
  RunningServer server;
  RawClient client(server.port());
  const RawAnswer health = client.get("/api/v1/health");
  CHECK(health.status == 200);
  CHECK_THAT(health.headers.at("content-security-policy"), Contains("default-src 'none'"));
  CHECK(health.headers.at("x-content-type-options") == "nosniff");
  CHECK(health.headers.at("x-frame-options") == "DENY");
  CHECK(health.headers.at("cache-control") == "no-store");
  const RawAnswer predicted = client.get("/api/v1/predict?network=resnet18&gpu=t4&batch=8");
  CHECK(predicted.status == 200);
  CHECK(Json::parse(predicted.body)["gpu"] == "t4");
  const RawAnswer wrong = client.get("/api/v1/predict?network=resnet18&gpu=t4&batch=none");
  CHECK(wrong.status == 400);
  CHECK(wrong.headers.count("content-security-policy") == 1);
  const std::string body = R"({"network": "lenet5", "gpu": "k80"})";
  CHECK(client.post("/api/v1/predict", body).status == 200);
  const auto check_refused = [](const RawAnswer& answer, const std::string& part) {
    CHECK(answer.status == 400);
    CHECK_THAT(answer.body, Contains(part));
  };
  check_refused(client.get("/api/v1/predict?network=lenet5&gpu=k80&gpu=t4"), "'gpu' is given more than once");
  check_refused(client.post("/api/v1/predict?batch=8", body), "'batch' of the query");
}

TEST_CASE("over HTTP: an upload, and files that are too large or broken") {
  if (!have_server()) return;
  SiteOptions options;
  options.limits.upload_bytes = 200'000;
  RunningServer server(options);
  const std::string bytes = onnx_bytes(server.site().folder, "resnet18");
  REQUIRE(bytes.size() < 200'000);
  const RawAnswer upload = RawClient(server.port()).post("/api/v1/networks?name=mine.onnx", bytes);
  REQUIRE(upload.status == 201);
  const auto id = Json::parse(upload.body)["id"].get<std::string>();
  CHECK(RawClient(server.port()).get("/api/v1/predict?gpu=t4&network=" + id).status == 200);
  CHECK(RawClient(server.port()).post("/api/v1/networks", "garbage").status == 422);
  CHECK(RawClient(server.port()).post("/api/v1/networks", std::string(300'000, 'x')).status == 413);
  CHECK(RawClient(server.port()).post("/api/v1/predict", std::string(100'000, ' ')).status == 413);
  // Without a length, in chunks, larger than allowed.
  RawClient chunked(server.port());
  chunked.send("POST /api/v1/networks HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
  const std::string chunk = "10000\r\n" + std::string(0x10000, 'x') + "\r\n";
  for (int i = 0; i < 8 && chunked.send(chunk); ++i) {
  }
  CHECK(chunked.receive().status == 413);
  CHECK(server.is_serving());
}

TEST_CASE("over HTTP: methods, hosts and paths that are not served") {
  if (!have_server()) return;
  RunningServer server;
  const auto status = [&](const std::string& request) {
    RawClient client(server.port());
    client.send(request);
    return client.receive().status;
  };
  const std::string host = "Host: localhost\r\n";
  CHECK(status("PUT /api/v1/gpus HTTP/1.1\r\n" + host + "Content-Length: 3\r\n\r\nabc") == 405);
  CHECK(status("DELETE / HTTP/1.1\r\n" + host + "\r\n") == 405);
  CHECK(status("OPTIONS / HTTP/1.1\r\n" + host + "\r\n") == 405);
  CHECK(status("GET /api/v1/health HTTP/1.1\r\nHost: evil.example\r\n\r\n") == 421);
  CHECK(status("GET /../../etc/passwd HTTP/1.1\r\n" + host + "\r\n") == 404);
  CHECK(status("GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\n" + host + "\r\n") == 404);
  CHECK(status("GET /" + std::string(20'000, 'x') + " HTTP/1.1\r\n" + host + "\r\n") >= 400);
  CHECK(status("POST /api/v1/networks HTTP/1.1\r\n" + host +
               "Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 2\r\n\r\n--") == 415);
}

TEST_CASE("over HTTP: a storm of malformed uploads and requests leaves the server serving") {
  if (!have_server()) return;
  RunningServer server;
  const std::string good = onnx_bytes(server.site().folder, "lenet5");
  std::vector<std::thread> clients;
  for (unsigned seed = 0; seed < 8; ++seed) {
    clients.emplace_back([&, seed] {
      std::mt19937 random(seed);
      for (int round = 0; round < 40; ++round) {
        std::string bytes = good;
        for (int flips = 0; flips < 20; ++flips) bytes[random() % bytes.size()] = static_cast<char>(random());
        RawClient client(server.port());
        switch (round % 4) {
          case 0:
            static_cast<void>(client.post("/api/v1/networks", bytes));
            break;
          case 1:  // breaks off
            client.send(
                "POST /api/v1/networks HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n" +
                bytes);
            break;
          case 2:  // no HTTP
            client.send(bytes);
            break;
          default:
            client.send("GET " + bytes.substr(0, 200) + " HTTP/1.1\r\n\r\n");
            break;
        }
      }
    });
  }
  for (std::thread& client : clients) client.join();
  CHECK(server.is_serving());
  const RawAnswer upload = RawClient(server.port()).post("/api/v1/networks", good);
  CHECK(upload.status == 201);
}

TEST_CASE("over HTTP: many connections at once all get their answers") {
  if (!have_server()) return;
  RunningServer server;
  std::atomic<int> answered{0};
  std::vector<std::thread> clients;
  for (int i = 0; i < 64; ++i) {
    clients.emplace_back([&] {
      RawClient client(server.port());
      for (int round = 0; round < 4; ++round) {
        if (client.get("/api/v1/predict?network=lenet5&gpu=t4&batch=8").status == 200) ++answered;
      }
    });
  }
  for (std::thread& client : clients) client.join();
  CHECK(answered == 64 * 4);
}

TEST_CASE("a port is had by one server alone") {
  if (!have_server()) return;
  RunningServer server;
  HttpOptions same = server.site().site.http_options();
  same.port = server.port();
  CHECK_FALSE(make_http_server(same)->bind());
}
