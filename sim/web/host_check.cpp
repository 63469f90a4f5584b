#include "sim/web/host_check.h"

#include <algorithm>

namespace layersim {
namespace {

std::string_view without_port(std::string_view host) {
  const std::size_t colon = host.rfind(':');
  const bool is_port = colon != std::string_view::npos && host.find(']', colon) == std::string_view::npos;
  if (!is_port) return host;
  const std::string_view port = host.substr(colon + 1);
  const bool digits = std::all_of(port.begin(), port.end(), [](char c) { return c >= '0' && c <= '9'; });
  return digits ? host.substr(0, colon) : host;
}

}  // namespace

bool is_loopback_host(std::string_view host) {
  const std::string_view name = without_port(host);
  return name == "localhost" || name == "127.0.0.1" || name == "[::1]";
}

bool is_same_origin(std::string_view origin, std::string_view host) {
  if (origin.empty()) return true;
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (origin.substr(0, scheme.size()) == scheme) return origin.substr(scheme.size()) == host;
  }
  return false;
}

}  // namespace layersim
