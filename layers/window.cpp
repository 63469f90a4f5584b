#include "layers/window.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "sim/core/error.h"

namespace layersim {
namespace {

// Kernel, stride, dilation and padding above this are not those of a real network, and products of two stay
// in 64 bits.
constexpr std::int64_t kMaxWindowValue = std::int64_t{1} << 31;

std::vector<std::int64_t> read_list(const ShapeContext& context, std::string_view attribute,
                                    std::size_t length, std::int64_t fallback, std::int64_t lowest) {
  std::vector<std::int64_t> list = context.ints_or(attribute, {});
  if (list.empty()) list.assign(length, fallback);
  if (list.size() != length) {
    throw bad_input("attribute '" + std::string(attribute) + "' has " + std::to_string(list.size()) +
                    " numbers, expected " + std::to_string(length));
  }
  for (const std::int64_t value : list) {
    if (value < lowest || value > kMaxWindowValue) {
      throw bad_input("attribute '" + std::string(attribute) + "' has the value " + std::to_string(value));
    }
  }
  return list;
}

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// ONNX auto_pad: the surplus element goes to the end for SAME_UPPER, to the begin for SAME_LOWER.
void split_padding(WindowAxis& axis, std::int64_t total, bool surplus_at_end) {
  axis.pad_begin = surplus_at_end ? total / 2 : total - total / 2;
  axis.pad_end = total - axis.pad_begin;
}

// Transposed convolutions split the other way round: SAME_UPPER takes the surplus from the end of the output.
void fit_transposed(WindowAxis& axis, std::int64_t wanted_out, bool surplus_at_end) {
  const std::int64_t total = axis.stride * (axis.in - 1) + axis.output_padding + axis.extent() - wanted_out;
  split_padding(axis, std::max<std::int64_t>(total, 0), surplus_at_end);
  if (total < 0) axis.output_padding -= total;
  axis.out = wanted_out;
}

// ceil_mode: the last window may hang over the end padding, but must start inside the input or the begin
// padding.
void apply_ceil_mode(WindowAxis& axis) {
  const std::int64_t span = axis.in + axis.pad_begin + axis.pad_end - axis.extent();
  if (span < 0) return;
  axis.out = divide_up(span, axis.stride) + 1;
  if ((axis.out - 1) * axis.stride >= axis.in + axis.pad_begin) --axis.out;
  // The padding that gives this size without ceil_mode, so that sizes stay consistent with each other.
  if (window_output(axis, WindowKind::pool) != axis.out) {
    axis.pad_end =
        std::max<std::int64_t>((axis.out - 1) * axis.stride + axis.extent() - axis.in - axis.pad_begin, 0);
  }
}

constexpr std::array<std::string_view, kWindowParameters> kNames{"in_d",
                                                                 "in_h",
                                                                 "in_w",
                                                                 "kernel_d",
                                                                 "kernel_h",
                                                                 "kernel_w",
                                                                 "stride_d",
                                                                 "stride_h",
                                                                 "stride_w",
                                                                 "dilation_d",
                                                                 "dilation_h",
                                                                 "dilation_w",
                                                                 "pad_begin_d",
                                                                 "pad_begin_h",
                                                                 "pad_begin_w",
                                                                 "pad_end_d",
                                                                 "pad_end_h",
                                                                 "pad_end_w",
                                                                 "output_padding_d",
                                                                 "output_padding_h",
                                                                 "output_padding_w",
                                                                 "out_d",
                                                                 "out_h",
                                                                 "out_w"};

}  // namespace

std::int64_t window_output(const WindowAxis& axis, WindowKind kind) {
  if (axis.stride < 1) throw bad_input("the stride is " + std::to_string(axis.stride));
  if (kind == WindowKind::transposed) {
    const std::int64_t out =
        axis.stride * (axis.in - 1) + axis.output_padding + axis.extent() - axis.pad_begin - axis.pad_end;
    if (out < 0) throw bad_input("padding is larger than the output");
    return out;
  }
  const std::int64_t span = axis.in + axis.pad_begin + axis.pad_end - axis.extent();
  if (span < 0) {
    throw bad_input("the window of " + std::to_string(axis.extent()) +
                    " elements is larger than the padded input of " +
                    std::to_string(axis.in + axis.pad_begin + axis.pad_end));
  }
  return span / axis.stride + 1;
}

Window read_window(const ShapeContext& context, const Shape& in, const Shape& kernel, WindowKind kind) {
  const std::size_t rank = in.size();
  if (kernel.size() != rank) {
    throw bad_input("the kernel has " + std::to_string(kernel.size()) + " axes, the input " +
                    std::to_string(rank) + " spatial axes");
  }
  if (rank > 3) throw bad_input("more than three spatial axes");
  const auto strides = read_list(context, "strides", rank, 1, 1);
  const auto dilations = read_list(context, "dilations", rank, 1, 1);
  const auto pads = read_list(context, "pads", 2 * rank, 0, 0);
  const auto output_padding = read_list(context, "output_padding", rank, 0, 0);
  const std::string auto_pad = context.text_or("auto_pad", "NOTSET");
  const bool same = auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER";
  if (!same && auto_pad != "NOTSET" && auto_pad != "VALID" && !auto_pad.empty()) {
    throw bad_input("unknown auto_pad '" + auto_pad + "'");
  }
  std::vector<std::int64_t> wanted_out =
      kind == WindowKind::transposed ? context.ints_or("output_shape", {}) : Shape{};
  if (wanted_out.size() == rank + 2) wanted_out.erase(wanted_out.begin(), wanted_out.begin() + 2);
  if (!wanted_out.empty() && wanted_out.size() != rank)
    throw bad_input("attribute 'output_shape' has the wrong length");

  Window window(rank);
  for (std::size_t i = 0; i < rank; ++i) {
    WindowAxis& axis = window[i];
    axis = {in[i],   kernel[i],      strides[i],        dilations[i],
            pads[i], pads[rank + i], output_padding[i], kUnknownDim};
    if (axis.kernel < 1 || axis.kernel > kMaxWindowValue) {
      throw bad_input("the kernel has size " + std::to_string(axis.kernel));
    }
    if (auto_pad == "VALID") axis.pad_begin = axis.pad_end = 0;
    const bool surplus_at_end = auto_pad != "SAME_LOWER";
    if (!wanted_out.empty()) {
      if (wanted_out[i] < 0 || wanted_out[i] > kMaxElements)
        throw bad_input("attribute 'output_shape' is out of range");
      axis.out = wanted_out[i];
      if (axis.in >= 0 && axis.in <= kMaxWindowValue)
        fit_transposed(axis, wanted_out[i], auto_pad == "SAME_UPPER");
      continue;
    }
    if (axis.in < 0) continue;
    if (kind == WindowKind::transposed && axis.in > kMaxWindowValue) {
      throw bad_input("a spatial size of " + std::to_string(axis.in));
    }
    if (same && kind == WindowKind::transposed) {
      fit_transposed(axis, axis.in * axis.stride, surplus_at_end);
    } else if (same) {
      axis.out = divide_up(axis.in, axis.stride);
      split_padding(axis, std::max<std::int64_t>((axis.out - 1) * axis.stride + axis.extent() - axis.in, 0),
                    surplus_at_end);
    } else {
      axis.out = window_output(axis, kind);
      if (kind == WindowKind::pool && context.int_or("ceil_mode", 0) != 0) apply_ceil_mode(axis);
    }
  }
  return window;
}

void append_window_parameters(std::vector<Parameter>& parameters, const WindowRanges& ranges) {
  const std::array<std::pair<std::int64_t, std::int64_t>, 8> bounds{{{1, ranges.in_high},
                                                                     {1, ranges.kernel_high},
                                                                     {1, ranges.stride_high},
                                                                     {1, 1},
                                                                     {0, ranges.pad_high},
                                                                     {0, ranges.pad_high},
                                                                     {0, ranges.output_padding_high},
                                                                     {1, kMaxElements}}};
  for (std::size_t i = 0; i < kWindowParameters; ++i) {
    const std::size_t quantity = i / 3;
    const bool depth = i % 3 == 0;
    Parameter parameter{kNames[i], "element", bounds[quantity].first, bounds[quantity].second, Draw::uniform};
    if (quantity == 0) parameter.draw = Draw::log_uniform;
    if (depth || bounds[quantity].first == bounds[quantity].second) {
      parameter.high = parameter.low;
      parameter.draw = Draw::fixed;
    }
    if (quantity == static_cast<std::size_t>(WindowSize::out)) {
      parameter.high = kMaxElements;
      parameter.draw = Draw::derived;
    }
    parameters.push_back(std::move(parameter));
  }
}

void append_window(std::vector<std::int64_t>& sizes, const Window& window) {
  std::array<WindowAxis, 3> axes;
  std::copy_backward(window.begin(), window.end(), axes.end());
  for (const auto member :
       {&WindowAxis::in, &WindowAxis::kernel, &WindowAxis::stride, &WindowAxis::dilation,
        &WindowAxis::pad_begin, &WindowAxis::pad_end, &WindowAxis::output_padding, &WindowAxis::out}) {
    for (const WindowAxis& axis : axes) sizes.push_back(axis.*member);
  }
}

std::array<WindowAxis, 3> window_of(const Problem& problem, std::size_t first) {
  std::array<WindowAxis, 3> axes;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto at = [&](WindowSize size) {
      return problem.sizes.at(first + 3 * static_cast<std::size_t>(size) + i);
    };
    axes[i] = {at(WindowSize::in),
               at(WindowSize::kernel),
               at(WindowSize::stride),
               at(WindowSize::dilation),
               at(WindowSize::pad_begin),
               at(WindowSize::pad_end),
               at(WindowSize::output_padding),
               at(WindowSize::out)};
  }
  return axes;
}

void derive_window(Problem& problem, std::size_t first, WindowKind kind) {
  const auto axes = window_of(problem, first);
  for (std::size_t i = 0; i < 3; ++i) {
    problem.sizes.at(first + 3 * static_cast<std::size_t>(WindowSize::out) + i) =
        window_output(axes[i], kind);
  }
}

double window_product(const Problem& problem, std::size_t first, WindowSize size) {
  const std::size_t start = first + 3 * static_cast<std::size_t>(size);
  return static_cast<double>(problem.sizes.at(start)) * static_cast<double>(problem.sizes.at(start + 1)) *
         static_cast<double>(problem.sizes.at(start + 2));
}

}  // namespace layersim
