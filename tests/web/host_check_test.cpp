#include "sim/web/host_check.h"

#include <catch2/catch.hpp>

using namespace layersim;

TEST_CASE("which hosts are this machine") {
  for (const char* host :
       {"localhost", "localhost:8080", "127.0.0.1", "127.0.0.1:80", "[::1]", "[::1]:8080"}) {
    INFO(host);
    CHECK(is_loopback_host(host));
  }
  for (const char* host :
       {"", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example:8080", "10.0.0.1",
        "localhost:80:80", "[::1].evil.example", "::1", "127.0.0.2", "localhost:x"}) {
    INFO(host);
    CHECK_FALSE(is_loopback_host(host));
  }
}

TEST_CASE("which pages may ask") {
  CHECK(is_same_origin("", "localhost:8080"));
  CHECK(is_same_origin("http://localhost:8080", "localhost:8080"));
  CHECK(is_same_origin("https://box.example", "box.example"));
  CHECK_FALSE(is_same_origin("http://localhost:9999", "localhost:8080"));
  CHECK_FALSE(is_same_origin("http://evil.example", "localhost:8080"));
  CHECK_FALSE(is_same_origin("null", "localhost:8080"));
  CHECK_FALSE(is_same_origin("localhost:8080", "localhost:8080"));
}
