// Operators that cut, repeat or surround a tensor along its axes.

#include <algorithm>
#include <limits>
#include <span>

#include "sim/core/checked.h"
#include "sim/core/error.h"
#include "sim/graph/shape_rules/contents.h"

namespace layersim {
namespace {

struct SliceRange {
  std::int64_t start = 0;
  std::int64_t step = 1;
  std::int64_t count = 0;
};

// By NumPy's rule: negative positions count from the end, those outside are clamped.
SliceRange resolve_slice(std::int64_t size, std::int64_t start, std::int64_t end, std::int64_t step) {
  if (step == 0) throw bad_input("the step of a slice is 0");
  const bool forward = step > 0;
  const std::int64_t low = forward ? 0 : -1;
  const std::int64_t high = forward ? size : size - 1;
  const auto clamp = [&](std::int64_t position) {
    return std::clamp(position < 0 ? position + size : position, low, high);
  };
  start = clamp(start);
  end = clamp(end);
  const std::int64_t distance = forward ? end - start : start - end;
  if (distance <= 0) return {start, step, 0};
  // The last multiple of the step below `distance`; written so that no step overflows.
  const std::uint64_t stride =
      forward ? static_cast<std::uint64_t>(step) : 0 - static_cast<std::uint64_t>(step);
  return {start, step, 1 + static_cast<std::int64_t>(static_cast<std::uint64_t>(distance - 1) / stride)};
}

// Starts or ends; a list whose numbers are not known holds kUnknownInt.
Ints slice_list(const ShapeContext& context, std::string_view attribute, std::size_t index,
                std::size_t length) {
  if (auto list = context.node().ints_attribute(attribute)) return *list;
  const Ints* contents = context.ints(index);
  if (contents == nullptr) return Ints(length, kUnknownInt);
  return *contents;
}

std::size_t slice_list_length(const ShapeContext& context) {
  if (const auto starts = context.node().ints_attribute("starts")) return starts->size();
  const Shape& shape = context.full_shape(1);
  if (shape.size() != 1 || shape[0] > kMaxConstantElements)
    throw bad_input("the starts should be a short list");
  return static_cast<std::size_t>(shape[0]);
}

void slice(ShapeContext& context) {
  const Shape& input = context.shape(0);
  const std::size_t length = slice_list_length(context);
  const Ints starts = slice_list(context, "starts", 1, length);
  const Ints ends = slice_list(context, "ends", 2, length);
  Ints axes;
  if (const auto given = ints_attribute_or_input(context, "axes", 3)) {
    axes = *given;
  } else {
    for (std::size_t axis = 0; axis < length; ++axis) axes.push_back(static_cast<std::int64_t>(axis));
  }
  const Ints steps = context.has_input(4) ? slice_list(context, "steps", 4, length) : Ints(length, 1);
  if (starts.size() != ends.size() || starts.size() != axes.size() || starts.size() != steps.size()) {
    throw bad_input("starts, ends, axes and steps differ in length");
  }
  Shape shape = input;
  const Constant* contents = known_contents(context, 0);
  const Ints strides = contents != nullptr ? row_major_strides(input) : Ints{};
  std::vector<Ints> offsets;
  for (std::size_t axis = 0; contents != nullptr && axis < input.size(); ++axis) {
    offsets.push_back(whole_axis(input[axis], strides[axis]));
  }
  static_cast<void>(axis_mask(axes, input.size()));
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::size_t axis = normalize_axis(axes[i], input.size());
    if (steps[i] == 0) throw bad_input("the step of a slice is 0");
    const bool is_open = starts[i] == kUnknownInt || ends[i] == kUnknownInt || steps[i] == kUnknownInt;
    if (is_open || input[axis] < 0) {
      const bool is_whole =
          starts[i] == 0 && steps[i] == 1 && ends[i] >= std::numeric_limits<std::int32_t>::max();
      if (!is_whole) shape[axis] = kUnknownDim;
      continue;
    }
    const SliceRange range = resolve_slice(input[axis], starts[i], ends[i], steps[i]);
    shape[axis] = range.count;
    if (contents == nullptr) continue;
    offsets[axis].resize(static_cast<std::size_t>(range.count));
    for (std::size_t k = 0; k < offsets[axis].size(); ++k) {
      offsets[axis][k] = (range.start + static_cast<std::int64_t>(k) * range.step) * strides[axis];
    }
  }
  const bool keep = contents != nullptr && is_known(shape);
  context.set_output(0, context.dtype(0), std::move(shape), keep ? select(*contents, offsets) : nullptr);
}

// Sizes of the parts along the split axis; kUnknownDim where not known.
Ints part_sizes(const ShapeContext& context, std::int64_t size) {
  const std::size_t parts = context.output_count();
  if (const auto attribute = context.node().ints_attribute("split")) return *attribute;
  if (context.has_input(1)) {
    const Ints* contents = context.ints(1);
    return contents != nullptr ? sizes_from(*contents) : Ints(parts, kUnknownDim);
  }
  if (size < 0) return Ints(parts, kUnknownDim);
  const std::int64_t count = context.int_or("num_outputs", static_cast<std::int64_t>(parts));
  if (count < 1 || static_cast<std::size_t>(count) < parts) {
    throw bad_input("cannot split into " + std::to_string(count) + " parts");
  }
  const std::int64_t part = size / count + (size % count != 0 ? 1 : 0);
  Ints sizes(parts, part);
  if (static_cast<std::size_t>(count) == parts) {
    // The last part may be smaller, not empty or negative.
    const std::int64_t last = size - checked_multiply(part, count - 1);
    if (last < 0)
      throw bad_input("cannot split " + std::to_string(size) + " into " + std::to_string(count) + " parts");
    sizes.back() = last;
  }
  return sizes;
}

void split(ShapeContext& context) {
  const Shape input = context.shape(0);
  const std::size_t axis = normalize_axis(context.int_or("axis", 0), input.size());
  const Ints sizes = part_sizes(context, input[axis]);
  if (sizes.size() != context.output_count()) {
    throw bad_input(std::to_string(sizes.size()) + " sizes for " + std::to_string(context.output_count()) +
                    " outputs");
  }
  std::int64_t total = 0;
  for (const std::int64_t size : sizes) {
    if (size < kUnknownDim) throw bad_input("a part of size " + std::to_string(size));
    total = size < 0 || total < 0 ? kUnknownDim : checked_add(total, size);
  }
  if (total >= 0 && input[axis] >= 0 && total != input[axis]) {
    throw bad_input("the parts sum to " + std::to_string(total) + ", not to the " +
                    std::to_string(input[axis]) + " of axis " + std::to_string(axis));
  }
  const Constant* contents = known_contents(context, 0);
  const Ints strides = contents != nullptr ? row_major_strides(input) : Ints{};
  std::int64_t begin = 0;
  for (std::size_t part = 0; part < sizes.size(); ++part) {
    Shape shape = input;
    shape[axis] = sizes[part];
    Contents selected;
    if (contents != nullptr && total >= 0) {
      std::vector<Ints> offsets;
      for (std::size_t k = 0; k < shape.size(); ++k) offsets.push_back(whole_axis(shape[k], strides[k]));
      for (std::int64_t& offset : offsets[axis]) offset += begin * strides[axis];
      selected = select(*contents, offsets);
      begin += sizes[part];
    }
    context.set_output(part, context.dtype(0), std::move(shape), std::move(selected));
  }
}

void tile(ShapeContext& context) {
  const Shape& input = context.shape(0);
  const Ints* repeats = context.ints(1);
  if (repeats == nullptr) return context.set_output(0, context.dtype(0), Shape(input.size(), kUnknownDim));
  if (repeats->size() != input.size()) {
    throw bad_input(std::to_string(repeats->size()) + " repeats for a tensor of rank " +
                    std::to_string(input.size()));
  }
  const Shape factors = sizes_from(*repeats);
  Shape shape;
  for (std::size_t axis = 0; axis < input.size(); ++axis) {
    const bool is_open = input[axis] < 0 || factors[axis] < 0;
    shape.push_back(is_open ? kUnknownDim : checked_multiply(input[axis], factors[axis]));
  }
  const Constant* contents = known_contents(context, 0);
  Contents tiled;
  if (contents != nullptr && is_trackable(shape)) {
    const Ints strides = row_major_strides(input);
    std::vector<Ints> offsets;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      offsets.push_back(whole_axis(shape[axis], 1));
      for (std::int64_t& offset : offsets.back()) offset = offset % input[axis] * strides[axis];
    }
    tiled = select(*contents, offsets);
  }
  context.set_output(0, context.dtype(0), std::move(shape), std::move(tiled));
}

// Begins of all axes, then ends; negative ones crop.
void pad(ShapeContext& context) {
  const Shape& input = context.shape(0);
  const std::string attribute = context.node().attribute("paddings") != nullptr ? "paddings" : "pads";
  std::optional<Ints> pads = context.node().ints_attribute(attribute);
  if (!pads) {
    const Ints* contents = context.ints(1);
    if (contents == nullptr) return context.set_output(0, context.dtype(0), Shape(input.size(), kUnknownDim));
    pads = *contents;
  }
  std::vector<std::size_t> axes;
  if (const auto given = ints_attribute_or_input(context, "axes", 3)) {
    static_cast<void>(axis_mask(*given, input.size()));
    for (const std::int64_t axis : *given) axes.push_back(normalize_axis(axis, input.size()));
  } else {
    for (std::size_t axis = 0; axis < input.size(); ++axis) axes.push_back(axis);
  }
  if (pads->size() != 2 * axes.size()) {
    throw bad_input(std::to_string(pads->size()) + " pads for " + std::to_string(axes.size()) + " axes");
  }
  Shape shape = input;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::int64_t begin = (*pads)[i];
    const std::int64_t end = (*pads)[axes.size() + i];
    std::int64_t& size = shape[axes[i]];
    if (size < 0 || begin == kUnknownInt || end == kUnknownInt) {
      if (begin != 0 || end != 0) size = kUnknownDim;
      continue;
    }
    const std::int64_t padded = checked_add(checked_add(size, begin), end);
    if (padded < 0)
      throw bad_input("pads crop axis " + std::to_string(axes[i]) + " of " + to_string(input) + " away");
    size = padded;
  }
  context.set_output(0, context.dtype(0), std::move(shape));
}

}  // namespace

std::span<const ShapeRule> slicing_rules() {
  static constexpr ShapeRule kRules[] = {
      {"Slice", slice}, {"Split", split}, {"Tile", tile}, {"Pad", pad}, {"Pad", pad, "com.microsoft"},
  };
  return kRules;
}

}  // namespace layersim
