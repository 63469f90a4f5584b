#pragma once
// Sliding windows of convolutions and pools over up to three spatial axes. Problems always have three (depth,
// height, width); a missing one has size, kernel and stride 1, so a 1-D convolution is one of height 1.

#include <array>
#include <cstdint>
#include <vector>

#include "layers/layer_kind.h"
#include "sim/core/shape.h"
#include "sim/graph/shape_rule.h"

namespace layersim {

// One spatial axis, in elements. `out` follows from the rest except where the operator says otherwise.
struct WindowAxis {
  std::int64_t in = 1;
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
  std::int64_t pad_begin = 0;
  std::int64_t pad_end = 0;
  std::int64_t output_padding = 0;  // transposed convolution: elements added to the end of the output
  std::int64_t out = 1;

  // Elements from the first to the last that a window covers.
  [[nodiscard]] std::int64_t extent() const { return (kernel - 1) * dilation + 1; }
};
using Window = std::vector<WindowAxis>;  // outermost axis first

enum class WindowKind : unsigned char { convolution, transposed, pool };

// The window of a node over the spatial sizes `in`, from its attributes strides, dilations, pads, auto_pad,
// ceil_mode, output_padding and output_shape. Unknown input sizes give unknown output sizes. Throws
// bad_input.
[[nodiscard]] Window read_window(const ShapeContext& context, const Shape& in, const Shape& kernel,
                                 WindowKind kind);

// Output size of one axis: floor((in + pads - extent) / stride) + 1, or its inverse for a transposed
// convolution. Throws bad_input when the window does not fit.
[[nodiscard]] std::int64_t window_output(const WindowAxis& axis, WindowKind kind);

// The parameters of a window, three (d, h, w) for each quantity, in this order.
enum class WindowSize : std::size_t { in, kernel, stride, dilation, pad_begin, pad_end, output_padding, out };
inline constexpr std::size_t kWindowParameters = 24;

struct WindowRanges {
  std::int64_t in_high = 512;
  std::int64_t kernel_high = 11;
  std::int64_t stride_high = 4;
  std::int64_t pad_high = 5;
  std::int64_t output_padding_high = 0;
};
// Appends the parameters; depth is fixed to 1, since the sampler draws 2-D problems.
void append_window_parameters(std::vector<Parameter>& parameters, const WindowRanges& ranges);
// Appends the sizes, padding missing outer axes.
void append_window(std::vector<std::int64_t>& sizes, const Window& window);
// Reads the window whose parameters start at index `first`; always three axes.
[[nodiscard]] std::array<WindowAxis, 3> window_of(const Problem& problem, std::size_t first);
// Sets the out parameters from the others.
void derive_window(Problem& problem, std::size_t first, WindowKind kind);

// Product of one quantity over the axes.
[[nodiscard]] double window_product(const Problem& problem, std::size_t first, WindowSize size);

}  // namespace layersim
