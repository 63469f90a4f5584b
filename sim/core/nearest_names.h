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
// with `name` comes before all that do not. Others count as near with two slips, or up to half of the name.
[[nodiscard]] std::vector<std::string> nearest_names(std::string_view name,
                                                     std::span<const std::string> candidates,
                                                     std::size_t count);

// `before` and these names, "a, b or c"; empty where none is near.
[[nodiscard]] std::string suggest(std::string_view before, const std::vector<std::string>& near);

}  // namespace layersim
