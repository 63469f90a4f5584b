#include <catch2/catch.hpp>

#include "tests/web/test_site.h"

using namespace layersim;
using namespace layersim::tests;
using Catch::Matchers::Contains;

TEST_CASE("only this machine's own names and pages are served by a local site") {
  TestSite test;
  HttpRequest request{.method = "GET",
                      .path = "/api/v1/health",
                      .query = {},
                      .host = "localhost:8080",
                      .origin = "",
                      .content_type = "",
                      .body = "",
                      .upload_file = {}};
  CHECK(test.site.answer(request).status == 200);
  request.host = "evil.example:8080";
  CHECK(test.site.answer(request).status == 421);
  request.host = "localhost:8080";
  request.origin = "http://evil.example";
  CHECK(test.site.answer(request).status == 403);
  SiteOptions open;
  open.address = "0.0.0.0";
  TestSite everywhere(open);
  request.origin = "";
  request.host = "box.example:8080";
  CHECK(everywhere.site.answer(request).status == 200);
}

TEST_CASE("without its page the site says how to build it, and serves no files") {
  TestSite test;
  const HttpAnswer answer = test.get("/");
  CHECK(answer.status == 200);
  CHECK_THAT(answer.body, Contains("./dev page"));
  for (const char* path : {"/etc/passwd", "/../README.md", "/index.html", "/%2e%2e/x", "//etc/passwd"}) {
    INFO(path);
    CHECK(test.get(path).status == 404);
  }
  CHECK(test.post("/", "{}").status == 405);
}

TEST_CASE("the page's files are served with their types, and no others of the folder") {
  const TemporaryFolder folder;
  static_cast<void>(folder.write("index.html", "<!doctype html>"));
  static_cast<void>(folder.write("app.js", "1"));
  static_cast<void>(folder.write("secret.txt", "s"));
  Site site({}, make_predictor("roofline"),
            Assets(std::filesystem::path(folder.write("index.html", "<!doctype html>")).parent_path()));
  const auto get = [&](const std::string& path) {
    return site.answer({.method = "GET",
                        .path = path,
                        .query = {},
                        .host = "127.0.0.1",
                        .origin = "",
                        .content_type = "",
                        .body = "",
                        .upload_file = {}});
  };
  CHECK(get("/").body == "<!doctype html>");
  CHECK(get("/app.js").type == "text/javascript; charset=utf-8");
  CHECK(get("/secret.txt").status == 404);
}
