// Interpolation: each output element is made of 1 (nearest), 2^axes (linear) or 4^axes (cubic) input
// elements, a multiply and an add each. Reads the input once and writes the output once; no MACs by the usual
// count.

#include <cmath>
#include <string>
#include <string_view>

#include "layers/kinds.h"
#include "layers/lowering.h"
#include "layers/work.h"
#include "sim/core/error.h"

namespace layersim {
namespace {

enum ResizeSize : std::size_t { kIn, kOut, kTaps };

// `scale` is not a number where it is not known.
std::int64_t scaled_size(std::int64_t size, double scale, double (*round)(double)) {
  if (size < 0 || std::isnan(scale)) return kUnknownDim;
  const double scaled = round(static_cast<double>(size) * scale);
  if (scaled < 0 || scaled > static_cast<double>(kMaxElements)) {
    throw bad_input("a scale of " + std::to_string(scale) + " for the size " + std::to_string(size));
  }
  return static_cast<std::int64_t>(scaled);
}

// Applies `change(size of the axis, i)` to the axes that the node names, all of them by default.
template <typename Change>
Shape change_axes(const ShapeContext& context, std::size_t count, Change&& change) {
  Shape output = context.shape(0);
  const std::vector<std::int64_t> axes = context.ints_or("axes", {});
  if (count != (axes.empty() ? output.size() : axes.size())) {
    throw bad_input(std::to_string(count) + " sizes or scales for " +
                    std::to_string(axes.empty() ? output.size() : axes.size()) + " axes");
  }
  for (std::size_t i = 0; i < count; ++i) {
    std::int64_t& size = output[axes.empty() ? i : normalize_axis(axes[i], output.size())];
    size = change(size, i);
  }
  return output;
}

Shape scaled_shape(const ShapeContext& context, const std::vector<double>& scales) {
  return change_axes(context, scales.size(), [&](std::int64_t size, std::size_t i) {
    return scaled_size(size, scales[i], std::floor);
  });
}

// keep_aspect_ratio_policy scales all named axes alike, so that none is above (or below) the size asked for.
Shape sized_shape(const ShapeContext& context, const std::vector<std::int64_t>& sizes) {
  const std::string policy = context.text_or("keep_aspect_ratio_policy", "stretch");
  if (policy == "stretch") {
    return change_axes(context, sizes.size(), [&](std::int64_t, std::size_t i) {
      if (sizes[i] < 0 && sizes[i] != kUnknownInt) throw bad_input("a size of " + std::to_string(sizes[i]));
      return sizes[i] < 0 ? kUnknownDim : sizes[i];
    });
  }
  const bool larger = policy == "not_smaller";
  double scale = larger ? 0 : INFINITY;
  (void)change_axes(context, sizes.size(), [&](std::int64_t size, std::size_t i) {
    if (size <= 0 || sizes[i] < 0) throw ShapeUnknown{};
    const double ratio = static_cast<double>(sizes[i]) / static_cast<double>(size);
    scale = larger ? std::max(scale, ratio) : std::min(scale, ratio);
    return size;
  });
  return change_axes(context, sizes.size(),
                     [&](std::int64_t size, std::size_t) { return scaled_size(size, scale, std::round); });
}

// Resize-10: X, scales. Resize-11 on: X, roi, scales, sizes. Upsample-7: attribute scales; Upsample-9: X,
// scales.
void infer_resize(ShapeContext& context) {
  const Node& node = context.node();
  const bool old_inputs = node.op == "Upsample" || node.opset < 11;
  if (const auto* attribute = node.attribute("scales"); attribute != nullptr && node.op == "Upsample") {
    const auto* scales = std::get_if<std::vector<double>>(attribute);
    if (scales == nullptr) throw bad_input("attribute 'scales' should be a list of numbers");
    return context.set_output(0, context.dtype(0), scaled_shape(context, *scales));
  }
  const std::size_t scales_index = old_inputs ? 1 : 2;
  if (!old_inputs && context.has_input(3)) {
    if (const auto* sizes = context.ints(3)) {
      return context.set_output(0, context.dtype(0), sized_shape(context, *sizes));
    }
  } else if (const auto* scales = context.reals(scales_index); scales != nullptr && !scales->empty()) {
    return context.set_output(0, context.dtype(0), scaled_shape(context, *scales));
  }
  throw ShapeUnknown{};
}

void lower_resize(LoweringContext& context) {
  const Shape& input = context.full_shape(0);
  const Shape& output = context.output_shape(0);
  if (input == output) return;
  std::int64_t scaled_axes = 0;
  for (std::size_t i = 0; i < input.size() && i < output.size(); ++i)
    scaled_axes += input[i] != output[i] ? 1 : 0;
  const std::string mode = context.text_or("mode", "nearest");
  const std::int64_t taps_per_axis = mode == "nearest" ? 1 : mode == "cubic" ? 4 : 2;
  std::int64_t taps = 1;
  for (std::int64_t i = 0; i < std::min<std::int64_t>(scaled_axes, 8); ++i) taps *= taps_per_axis;
  context.add(make_problem(
      resize_kind(), context.dtype(0),
      {{"in_elements", element_count(input)}, {"out_elements", element_count(output)}, {"taps", taps}}));
}

// X [N, C, H, W ...], grid [N, h, w ..., axes] -> [N, C, h, w ...]
void infer_grid_sample(ShapeContext& context) {
  const Shape& input = context.shape(0, 3);
  const Shape& grid = context.shape(1, input.size(), input.size());
  Shape output{input[0], input[1]};
  output.insert(output.end(), grid.begin() + 1, grid.end() - 1);
  context.set_output(0, context.dtype(0), std::move(output));
}

// X [N, C, H, W], regions [R, 4] -> [R, C, output_height, output_width]
void infer_roi_align(ShapeContext& context) {
  const Shape& input = context.shape(0, 4, 4);
  const Shape& regions = context.shape(1, 2, 2);
  Shape output{regions[0], input[1], context.int_or("output_height", 1), context.int_or("output_width", 1)};
  if (const auto pooled = context.ints_or("pooled_shape", {}); pooled.size() == 2) {
    output[2] = pooled[0];
    output[3] = pooled[1];
  }
  context.set_output(0, context.dtype(0), std::move(output));
}

// Four neighbours for each sample; RoiAlign takes sampling_ratio^2 samples for each output element (2 if
// adaptive).
void lower_sampling(LoweringContext& context) {
  const std::int64_t ratio =
      std::min<std::int64_t>(std::max<std::int64_t>(context.int_or("sampling_ratio", 1), 1), 64);
  context.add(make_problem(resize_kind(), context.dtype(0),
                           {{"in_elements", element_count(context.full_shape(0))},
                            {"out_elements", element_count(context.output_shape(0))},
                            {"taps", 4 * ratio * ratio}}));
}

LayerWork resize_work(const Problem& problem) {
  const double flop = 2 * at(problem, kOut) * at(problem, kTaps);
  return element_work(problem, {.flop_forward = flop,
                                .flop_backward = flop,
                                .read_forward = at(problem, kIn),
                                .written_forward = at(problem, kOut),
                                .read_backward = at(problem, kOut),
                                .written_backward = at(problem, kIn)});
}

}  // namespace

const LayerKind& resize_kind() {
  static const LayerKind kKind{
      .name = "resize",
      .summary = "interpolation to another size, sampling at given places",
      .parameters = {{"in_elements", "element", 1, std::int64_t{1} << 28, Draw::log_uniform},
                     {"out_elements", "element", 1, std::int64_t{1} << 28, Draw::log_uniform},
                     {"taps", "element", 1, 16, Draw::log_uniform}},
      .operators = {{"Resize", infer_resize, lower_resize},
                    {"Upsample", infer_resize, lower_resize},
                    {"GridSample", infer_grid_sample, lower_sampling},
                    {"RoiAlign", infer_roi_align, lower_sampling},
                    {"MaxRoiPool", infer_roi_align, lower_sampling},
                    {"GridSample", infer_grid_sample, lower_sampling, "com.microsoft"}},
      .work = resize_work};
  return kKind;
}

}  // namespace layersim
