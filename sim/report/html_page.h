#pragma once
// What all our HTML pages share. A page needs nothing beside it: no script, nothing fetched; it reads well on
// paper.

#include <string>

namespace layersim {

// Up to and with the heading; the title is plain text.
[[nodiscard]] std::string html_head(const std::string& title);
[[nodiscard]] std::string html_tail();

}  // namespace layersim
