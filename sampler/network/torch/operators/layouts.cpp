// Operators that move data or only look at it in another shape. Shapes are known before anything runs, so
// what a file computes them from need not be computed again.

#include <ATen/Functions.h>

#include <algorithm>

#include "sampler/network/torch/node_operator.h"

namespace layersim {
namespace {

using Ints = std::vector<std::int64_t>;

NodeCall prepare_reshape(const NodeView& view) {
  return [shape = view.output_shape()](const Tensors& inputs) { return Tensors{inputs[0].reshape(shape)}; };
}

NodeCall prepare_expand(const NodeView& view) {
  return [shape = view.output_shape()](const Tensors& inputs) { return Tensors{inputs[0].expand(shape)}; };
}

NodeCall prepare_transpose(const NodeView& view) {
  Ints order = view.ints_or("perm", {});
  if (order.empty()) {
    for (auto axis = static_cast<std::int64_t>(view.shape(0).size()); axis-- > 0;) order.push_back(axis);
  }
  return [order = std::move(order)](const Tensors& inputs) { return Tensors{inputs[0].permute(order)}; };
}

NodeCall prepare_concat(const NodeView& view) {
  return [axis = view.axis(0)](const Tensors& inputs) { return Tensors{at::cat(inputs, axis)}; };
}

NodeCall prepare_split(const NodeView& view) {
  const std::int64_t axis = view.axis(0);
  Ints sizes;
  for (std::size_t i = 0; i < view.node().outputs.size(); ++i) {
    sizes.push_back(view.output_shape(i).at(static_cast<std::size_t>(axis)));
  }
  return [axis, sizes = std::move(sizes)](const Tensors& inputs) {
    return at::split_with_sizes(inputs[0], sizes, axis);
  };
}

struct AxisSlice {
  std::int64_t axis = 0;
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::int64_t step = 1;
};

std::vector<AxisSlice> read_slices(const NodeView& view) {
  enum SliceInput : std::size_t { kStarts = 1, kEnds, kAxes, kSteps };
  const Ints starts = view.attribute_or_input("starts", kStarts).value_or(Ints{});
  const Ints ends = view.attribute_or_input("ends", kEnds).value_or(Ints{});
  const auto axes = view.attribute_or_input("axes", kAxes);
  const auto steps = view.ints(kSteps);
  const auto rank = static_cast<std::int64_t>(view.shape(0).size());
  view.require(ends.size() == starts.size(), "starts and ends of different numbers");
  std::vector<AxisSlice> slices;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    AxisSlice slice{.axis = axes ? axes->at(i) : static_cast<std::int64_t>(i),
                    .start = starts[i],
                    .end = ends[i],
                    .step = steps ? steps->at(i) : 1};
    if (slice.axis < 0) slice.axis += rank;
    view.require(slice.step > 0, "a step backwards");
    slices.push_back(slice);
  }
  return slices;
}

NodeCall prepare_slice(const NodeView& view) {
  return [slices = read_slices(view)](const Tensors& inputs) {
    at::Tensor result = inputs[0];
    for (const AxisSlice& s : slices) result = at::slice(result, s.axis, s.start, s.end, s.step);
    return Tensors{result};
  };
}

NodeCall prepare_pad(const NodeView& view) {
  const Ints pads = view.attribute_or_input("pads", 1).value_or(Ints{});
  const auto axes = view.ints(3);
  const std::size_t count = pads.size() / 2;
  const std::size_t rank = view.shape(0).size();
  view.require(axes || count == rank, "padding that does not fit the axes");
  Ints torch_pads(2 * rank, 0);  // from the last axis to the first
  for (std::size_t i = 0; i < count; ++i) {
    std::int64_t axis = axes ? axes->at(i) : static_cast<std::int64_t>(i);
    if (axis < 0) axis += static_cast<std::int64_t>(rank);
    const std::size_t place = 2 * (rank - 1 - static_cast<std::size_t>(axis));
    torch_pads.at(place) = pads[i];
    torch_pads.at(place + 1) = pads[count + i];
  }
  while (torch_pads.size() > 2 && torch_pads[torch_pads.size() - 1] == 0 &&
         torch_pads[torch_pads.size() - 2] == 0) {
    torch_pads.resize(torch_pads.size() - 2);
  }
  std::string mode = view.text_or("mode", "constant");
  if (mode == "edge") mode = "replicate";
  view.require(mode == "constant" || mode == "replicate" || mode == "reflect",
               "padding of mode '" + mode + "'");
  if (mode == "constant") {
    const double value = view.number(2).value_or(view.real_or("value", 0));
    return [torch_pads, value](const Tensors& inputs) {
      return Tensors{at::constant_pad_nd(inputs[0], torch_pads, value)};
    };
  }
  return [torch_pads, mode, spatial = torch_pads.size() / 2](const Tensors& inputs) {
    const bool reflect = mode == "reflect";
    const auto pad = [&](auto mirrored, auto repeated) {
      return Tensors{reflect ? mirrored(inputs[0], torch_pads) : repeated(inputs[0], torch_pads)};
    };
    if (spatial == 1) return pad(at::reflection_pad1d, at::replication_pad1d);
    if (spatial == 2) return pad(at::reflection_pad2d, at::replication_pad2d);
    return pad(at::reflection_pad3d, at::replication_pad3d);
  };
}

NodeCall prepare_tile(const NodeView& view) {
  Ints repeats;
  for (std::size_t i = 0; i < view.shape(0).size(); ++i) {
    const std::int64_t before = view.shape(0)[i];
    repeats.push_back(before == 0 ? 1 : view.output_shape()[i] / before);
  }
  return [repeats = std::move(repeats)](const Tensors& inputs) { return Tensors{inputs[0].repeat(repeats)}; };
}

NodeCall prepare_depth_to_space(const NodeView& view) {
  view.require(view.text_or("mode", "DCR") == "CRD", "the order depth, column, row");
  return [factor = view.int_or("blocksize", 1)](const Tensors& inputs) {
    return Tensors{at::pixel_shuffle(inputs[0], factor)};
  };
}

NodeCall prepare_triangle(const NodeView& view) {
  const bool upper = view.int_or("upper", 1) != 0;
  const auto diagonal = static_cast<std::int64_t>(view.number(1).value_or(0));
  return [upper, diagonal](const Tensors& inputs) {
    return Tensors{upper ? at::triu(inputs[0], diagonal) : at::tril(inputs[0], diagonal)};
  };
}

// Enlarged to the size of the output, with the alignment of corners that the file asks for.
NodeCall prepare_resize(const NodeView& view) {
  const Shape& in = view.shape(0);
  const Shape& out = view.output_shape();
  view.require(in.size() == 4 && in[0] == out[0] && in[1] == out[1],
               "anything but the two last of four axes");
  const Ints size{out[2], out[3]};
  const std::string mode = view.text_or("mode", "nearest");
  const bool corners = view.text_or("coordinate_transformation_mode", "half_pixel") == "align_corners";
  if (mode == "nearest") {
    return [size](const Tensors& inputs) { return Tensors{at::upsample_nearest2d(inputs[0], size)}; };
  }
  if (mode == "linear") {
    return [size, corners](const Tensors& inputs) {
      return Tensors{at::upsample_bilinear2d(inputs[0], size, corners)};
    };
  }
  view.require(mode == "cubic", "interpolation of mode '" + mode + "'");
  return [size, corners](const Tensors& inputs) {
    return Tensors{at::upsample_bicubic2d(inputs[0], size, corners)};
  };
}

}  // namespace

std::span<const NodeOperator> layout_operators() {
  static constexpr NodeOperator kOperators[] = {
      {"Reshape", prepare_reshape},   {"Flatten", prepare_reshape}, {"Squeeze", prepare_reshape},
      {"Unsqueeze", prepare_reshape}, {"Expand", prepare_expand},   {"Transpose", prepare_transpose},
      {"Concat", prepare_concat},     {"Split", prepare_split},     {"Slice", prepare_slice},
      {"Pad", prepare_pad},           {"Tile", prepare_tile},       {"DepthToSpace", prepare_depth_to_space},
      {"Trilu", prepare_triangle},    {"Resize", prepare_resize},   {"Upsample", prepare_resize},
  };
  return kOperators;
}

}  // namespace layersim
