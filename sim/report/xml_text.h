#pragma once
// Text within XML and HTML.

#include <string>
#include <string_view>

namespace layersim {

// For content and for attribute values in double quotes: markup characters escaped, control characters and
// bytes that are no UTF-8 replaced by '?'.
[[nodiscard]] std::string xml_text(std::string_view text);

}  // namespace layersim
