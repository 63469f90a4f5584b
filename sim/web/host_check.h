#pragma once
// Whom a browser believes to talk to. A page of another site must not use a server on the reader's own
// machine: neither by a name that it lets point here (DNS rebinding) nor by requests across sites.

#include <string_view>

namespace layersim {

// Whether a Host header names this machine: "localhost:8080", "127.0.0.1", "[::1]:80".
[[nodiscard]] bool is_loopback_host(std::string_view host);
// Whether a request that carries this Origin header comes from a page of `host`; an empty one comes from no
// page.
[[nodiscard]] bool is_same_origin(std::string_view origin, std::string_view host);

}  // namespace layersim
