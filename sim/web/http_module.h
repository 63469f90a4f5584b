#pragma once
// The HTTP server, in a module that is loaded only to serve.

#include <memory>

#include "sim/web/http/http_server.h"

namespace layersim {

// Throws bad_use where the program was built without it.
[[nodiscard]] std::unique_ptr<HttpServer> make_http_server(const HttpOptions& options);

}  // namespace layersim
