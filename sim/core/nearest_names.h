#pragma once
// Suggestions for a mistyped name.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace layersim {

// Insertions, deletions, substitutions and swaps of neighbours that turn one text into the other.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

// The at most `count` candidates with the smallest distance to `name`, nearest first. A candidate that begins
// with `name` comes before all that do not.
[[nodiscard]] std::vector<std::string> nearest_names(std::string_view name,
                                                     std::span<const std::string> candidates,
                                                     std::size_t count);

}  // namespace layersim
