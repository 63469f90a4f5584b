#pragma once
// Tensor shapes, in elements per axis, outermost first.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace layersim {

using Shape = std::vector<std::int64_t>;

// A size that only the data decides (the count of NonZero, say).
inline constexpr std::int64_t kUnknownDim = -1;

// No tensor may have more elements than this: sizes up to here are exact in a double, and products of a few
// of them overflow neither a double nor (one product of two axes) 64 bits.
inline constexpr std::int64_t kMaxElements = std::int64_t{1} << 53;
// No framework goes further.
inline constexpr std::size_t kMaxRank = 64;

[[nodiscard]] bool is_known(const Shape& shape);

// Number of elements; 1 for a scalar. Throws bad_input for a negative or unknown size or for more than
// kMaxElements.
[[nodiscard]] std::int64_t element_count(const Shape& shape);
// The same over the axes [first, last).
[[nodiscard]] std::int64_t element_count(const Shape& shape, std::size_t first, std::size_t last);

// Throws bad_input for what no tensor can be: more than kMaxRank axes, a negative size other than
// kUnknownDim, or known sizes that exceed kMaxElements by themselves.
void check_limits(const Shape& shape);

// "1x3x224x224"; "scalar" for rank 0; "?" for an unknown size.
[[nodiscard]] std::string to_string(const Shape& shape);

// Shape of an element-wise operation by NumPy's rule; an unknown size gives way to a known one above 1.
// Throws bad_input when the shapes do not fit.
[[nodiscard]] Shape broadcast(const Shape& a, const Shape& b);

}  // namespace layersim
