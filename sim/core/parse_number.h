#pragma once
// Numbers as users write them.

#include <cstdint>
#include <string>
#include <string_view>

namespace layersim {

// A whole number of at least `least` and at most kMaxElements. Throws bad_use, which names `subject`
// ("--batch").
[[nodiscard]] std::int64_t parse_count(const std::string& subject, std::string_view text, std::int64_t least);

// A number above zero and up to 1e15, not necessarily whole; as above.
[[nodiscard]] double parse_positive(const std::string& subject, std::string_view text);

}  // namespace layersim
