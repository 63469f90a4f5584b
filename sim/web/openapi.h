#pragma once
// The description of the interface for programs: OpenAPI 3.

#include <string>

namespace layersim {

// configs/web/openapi.json, with this program's version.
[[nodiscard]] std::string openapi_text();

}  // namespace layersim
