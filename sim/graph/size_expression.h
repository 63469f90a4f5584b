#pragma once
// Sizes that a file spells as a calculation on its symbols: "past_length + 1", "batch * 12", "(n - 1) // 2 +
// 1".

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace layersim {

// Whether the symbol is a calculation rather than a name.
[[nodiscard]] bool is_size_expression(std::string_view symbol);

// The size, by the sizes of the names in it; nothing when one of them is not known, when the text is no
// calculation, or when the result is negative or exceeds 64 bits.
[[nodiscard]] std::optional<std::int64_t> evaluate_size(
    std::string_view expression, const std::function<std::optional<std::int64_t>(std::string_view)>& size_of);

}  // namespace layersim
