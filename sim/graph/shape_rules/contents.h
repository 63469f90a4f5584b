#pragma once
// The contents of small tensors, followed through operators that compute shapes: Shape -> Gather -> Concat ->
// Reshape and the like. A number that is not known although its neighbours are is kUnknownInt or NaN.

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/graph/shape_rule.h"

namespace layersim {

using Contents = std::shared_ptr<const Constant>;
using Ints = std::vector<std::int64_t>;

// The contents of an input, when they are known and as many as its elements; else nullptr.
[[nodiscard]] const Constant* known_contents(const ShapeContext& context, std::size_t input);
// All sizes known, and few enough elements to follow their contents; so many also where axes of size 0
// were 1.
[[nodiscard]] bool is_trackable(const Shape& shape);

[[nodiscard]] Contents make_contents(Ints ints);
[[nodiscard]] Contents make_contents(std::vector<double> reals);

// Distance in elements between neighbours along each axis. The shape must be known.
[[nodiscard]] Ints row_major_strides(const Shape& shape);

// Element (i, j, ...) of the result is element offsets[0][i] + offsets[1][j] + ... of the source, and not
// known where an offset is kNoElement. So a transpose, slice, gather, tile or pad is one list of offsets for
// each axis.
inline constexpr std::int64_t kNoElement = -1;
[[nodiscard]] Contents select(const Constant& source, const std::vector<Ints>& offsets);
// The offsets that leave an axis as it is.
[[nodiscard]] Ints whole_axis(std::int64_t size, std::int64_t stride);
// The contents of an input, repeated by NumPy's rule to a shape that is trackable; nullptr when not known.
[[nodiscard]] Contents broadcast_contents(const ShapeContext& context, std::size_t index, const Shape& shape);

// An integer list that older operator sets give as an attribute and newer ones as input `index`. Nothing:
// neither is there. Throws ShapeUnknown when the input's contents, or one of them, are not known.
[[nodiscard]] std::optional<Ints> ints_attribute_or_input(const ShapeContext& context,
                                                          std::string_view attribute, std::size_t index);
// The single integer in an input; nothing when absent or not known.
[[nodiscard]] std::optional<std::int64_t> single_int(const ShapeContext& context, std::size_t index);

// Sizes written in a tensor: kUnknownInt becomes kUnknownDim; throws bad_input for a negative one.
[[nodiscard]] Shape sizes_from(const Ints& contents);
// An unknown shape of the rank that the length of a shape-giving input tells; throws ShapeUnknown when not
// even that is known.
[[nodiscard]] Shape unknown_shape_of_length(const ShapeContext& context, std::size_t index);

// Axes counted from the front, without repetition; throws bad_input otherwise.
[[nodiscard]] std::vector<bool> axis_mask(const Ints& axes, std::size_t rank);

}  // namespace layersim
