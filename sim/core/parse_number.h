#pragma once
// Numbers as users write them.

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/core/shape.h"

namespace layersim {

// A whole number from `least` to `most`. Throws bad_use, which names `subject` ("--batch").
[[nodiscard]] std::int64_t parse_count(const std::string& subject, std::string_view text, std::int64_t least,
                                       std::int64_t most = kMaxElements);

// More than anybody runs at once.
inline constexpr std::int64_t kMostSamples = std::int64_t{1} << 31;

// Samples in a batch: from 1 to kMostSamples; as above.
[[nodiscard]] std::int64_t parse_batch(const std::string& subject, std::string_view text);

// A number from 1e-15 to 1e15, not necessarily whole; as above.
[[nodiscard]] double parse_positive(const std::string& subject, std::string_view text);

}  // namespace layersim
