// Operators that give the same elements another shape or order.

#include <algorithm>
#include <span>

#include "sim/core/checked.h"
#include "sim/core/error.h"
#include "sim/graph/shape_rules/contents.h"

namespace layersim {
namespace {

// The shape that a reshape's target means: 0 copies a size of the input, one -1 takes what is left.
Shape resolve_target(const Shape& input, const Ints& target, bool zero_is_copy) {
  Shape shape;
  std::size_t open = 0;  // axes that the target leaves to be found: -1 or not known
  std::size_t open_axis = 0;
  bool has_rest = false;
  for (std::size_t axis = 0; axis < target.size(); ++axis) {
    std::int64_t size = target[axis];
    if (size == 0 && zero_is_copy) {
      if (axis >= input.size()) {
        throw bad_input("the target copies axis " + std::to_string(axis) + " of a tensor of rank " +
                        std::to_string(input.size()));
      }
      size = input[axis];
    } else if (size == -1) {
      if (has_rest) throw bad_input("the target has more than one -1");
      has_rest = true;
    } else if (size < -1 && size != kUnknownInt) {
      throw bad_input("the target has a size of " + std::to_string(size));
    }
    if (size < 0) {
      size = kUnknownDim;
      open_axis = axis;
      ++open;
    }
    shape.push_back(size);
  }
  if (!is_known(input) || open > 1) return shape;
  const std::int64_t count = element_count(input);
  const auto misfit = [&] {
    return bad_input("cannot reshape " + to_string(input) + " to " + to_string(shape));
  };
  if (open == 0) {
    if (element_count(shape) != count) throw misfit();
    return shape;
  }
  Shape rest = shape;
  rest[open_axis] = 1;
  const std::int64_t known = element_count(rest);
  if (known == 0 && count == 0) {
    shape[open_axis] = 0;
    return shape;
  }
  if (known == 0 || count % known != 0) throw misfit();
  shape[open_axis] = count / known;
  return shape;
}

void reshape(ShapeContext& context) {
  const Shape& input = context.shape(0);
  const Constant* contents = known_contents(context, 0);
  const auto attribute = context.node().ints_attribute("shape");
  const Ints* target = attribute ? &*attribute : context.ints(1);
  if (target == nullptr) return context.set_output(0, context.dtype(0), unknown_shape_of_length(context, 1));
  Shape shape = resolve_target(input, *target, context.int_or("allowzero", 0) == 0);
  const bool keep = contents != nullptr && is_known(shape);
  context.set_output(0, context.dtype(0), std::move(shape), keep ? context.input(0).constant : nullptr);
}

// The same elements in another shape of equal element count.
void set_same_elements(ShapeContext& context, Shape shape) {
  context.set_output(0, context.dtype(0), std::move(shape), context.input(0).constant);
}

std::int64_t product(const Shape& shape, std::size_t first, std::size_t last) {
  std::int64_t count = 1;
  for (std::size_t axis = first; axis < last; ++axis) {
    if (shape[axis] < 0) return kUnknownDim;
    count = checked_multiply(count, shape[axis]);
  }
  return count;
}

void flatten(ShapeContext& context) {
  const Shape& shape = context.shape(0);
  const auto rank = static_cast<std::int64_t>(shape.size());
  const std::int64_t attribute = context.int_or("axis", 1);
  const std::int64_t axis = attribute < 0 ? attribute + rank : attribute;
  if (axis < 0 || axis > rank) {
    throw bad_input("axis " + std::to_string(attribute) + " does not exist in a tensor of rank " +
                    std::to_string(rank));
  }
  const auto split = static_cast<std::size_t>(axis);
  set_same_elements(context, {product(shape, 0, split), product(shape, split, shape.size())});
}

void squeeze(ShapeContext& context) {
  const Shape& input = context.shape(0);
  const auto axes = ints_attribute_or_input(context, "axes", 1);
  std::vector<bool> drop(input.size(), false);
  if (axes) {
    drop = axis_mask(*axes, input.size());
  } else {
    if (!is_known(input)) throw ShapeUnknown{};
    std::transform(input.begin(), input.end(), drop.begin(), [](std::int64_t size) { return size == 1; });
  }
  Shape shape;
  for (std::size_t axis = 0; axis < input.size(); ++axis) {
    if (!drop[axis]) {
      shape.push_back(input[axis]);
    } else if (input[axis] != 1 && input[axis] != kUnknownDim) {
      throw bad_input("cannot squeeze axis " + std::to_string(axis) + " of " + to_string(input));
    }
  }
  set_same_elements(context, std::move(shape));
}

void unsqueeze(ShapeContext& context) {
  const Shape& input = context.shape(0);
  const auto axes = ints_attribute_or_input(context, "axes", 1);
  if (!axes) throw bad_input("the axes are missing");
  const std::vector<bool> fresh = axis_mask(*axes, input.size() + axes->size());
  Shape shape;
  std::size_t source = 0;
  for (const bool is_fresh : fresh) shape.push_back(is_fresh ? 1 : input[source++]);
  set_same_elements(context, std::move(shape));
}

void transpose(ShapeContext& context) {
  const Shape& input = context.shape(0);
  Ints permutation = context.ints_or("perm", {});
  if (context.node().attribute("perm") == nullptr) {
    for (std::size_t axis = input.size(); axis-- > 0;) permutation.push_back(static_cast<std::int64_t>(axis));
  }
  if (permutation.size() != input.size()) {
    throw bad_input("a permutation of " + std::to_string(permutation.size()) + " axes for a tensor of rank " +
                    std::to_string(input.size()));
  }
  static_cast<void>(axis_mask(permutation, input.size()));
  const Constant* contents = known_contents(context, 0);
  const Ints strides = contents != nullptr ? row_major_strides(input) : Ints{};
  Shape shape;
  std::vector<Ints> offsets;
  for (const std::int64_t axis : permutation) {
    const std::size_t source = normalize_axis(axis, input.size());
    shape.push_back(input[source]);
    if (contents != nullptr) offsets.push_back(whole_axis(input[source], strides[source]));
  }
  context.set_output(0, context.dtype(0), std::move(shape),
                     contents != nullptr ? select(*contents, offsets) : nullptr);
}

void expand(ShapeContext& context) {
  const Shape& input = context.shape(0);
  const Ints* target = context.ints(1);
  Shape shape =
      broadcast(input, target != nullptr ? sizes_from(*target) : unknown_shape_of_length(context, 1));
  Contents expanded = is_trackable(shape) ? broadcast_contents(context, 0, shape) : nullptr;
  context.set_output(0, context.dtype(0), std::move(shape), std::move(expanded));
}

std::int64_t block_size(const ShapeContext& context) {
  const std::int64_t block = context.int_or("blocksize", 0);
  if (block < 1) throw bad_input("attribute 'blocksize' should be positive");
  return block;
}

void depth_to_space(ShapeContext& context) {
  const Shape& input = context.shape(0, 4, 4);
  const std::int64_t block = block_size(context);
  const std::int64_t area = checked_multiply(block, block);
  if (input[1] >= 0 && input[1] % area != 0) {
    throw bad_input(std::to_string(input[1]) + " channels are no multiple of " + std::to_string(area));
  }
  const auto grow = [block](std::int64_t size) {
    return size < 0 ? kUnknownDim : checked_multiply(size, block);
  };
  context.set_output(
      0, context.dtype(0),
      {input[0], input[1] < 0 ? kUnknownDim : input[1] / area, grow(input[2]), grow(input[3])});
}

void space_to_depth(ShapeContext& context) {
  const Shape& input = context.shape(0, 4, 4);
  const std::int64_t block = block_size(context);
  const auto shrink = [block](std::int64_t size) {
    if (size > 0 && size % block != 0) {
      throw bad_input("size " + std::to_string(size) + " is no multiple of the block size " +
                      std::to_string(block));
    }
    return size < 0 ? kUnknownDim : size / block;
  };
  const std::int64_t area = checked_multiply(block, block);
  context.set_output(0, context.dtype(0),
                     {input[0], input[1] < 0 ? kUnknownDim : checked_multiply(input[1], area),
                      shrink(input[2]), shrink(input[3])});
}

}  // namespace

std::span<const ShapeRule> reshaping_rules() {
  static constexpr ShapeRule kRules[] = {
      {"Reshape", reshape},
      {"Flatten", flatten},
      {"Squeeze", squeeze},
      {"Unsqueeze", unsqueeze},
      {"Expand", expand},
      {"Transpose", transpose},
      {"DepthToSpace", depth_to_space},
      {"SpaceToDepth", space_to_depth},
  };
  return kRules;
}

}  // namespace layersim
