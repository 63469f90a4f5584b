#include "sim/graph/shape_rules/contents.h"

#include <algorithm>
#include <limits>

#include "sim/core/error.h"

namespace layersim {

const Constant* known_contents(const ShapeContext& context, std::size_t input) {
  if (context.ints(input) == nullptr && context.reals(input) == nullptr) return nullptr;
  return is_trackable(context.shape(input)) ? context.input(input).constant.get() : nullptr;
}

bool is_trackable(const Shape& shape) {
  // Axes of size 0 do not count: an empty tensor may have huge ones beside them.
  std::int64_t count = 1;
  return std::all_of(shape.begin(), shape.end(), [&count](std::int64_t size) {
    if (size < 0 || size > kMaxConstantElements) return false;
    count *= std::max<std::int64_t>(size, 1);
    return count <= kMaxConstantElements;
  });
}

Contents make_contents(Ints ints) { return std::make_shared<const Constant>(Constant{std::move(ints), {}}); }

Contents make_contents(std::vector<double> reals) {
  return std::make_shared<const Constant>(Constant{{}, std::move(reals)});
}

Ints row_major_strides(const Shape& shape) {
  Ints strides(shape.size(), 1);
  for (std::size_t axis = shape.size(); axis-- > 1;) {
    strides[axis - 1] = strides[axis] * std::max<std::int64_t>(shape[axis], 1);
  }
  return strides;
}

Contents select(const Constant& source, const std::vector<Ints>& offsets) {
  Ints indices{0};
  for (const Ints& axis : offsets) {
    Ints next;
    next.reserve(indices.size() * axis.size());
    for (const std::int64_t base : indices) {
      for (const std::int64_t offset : axis) {
        next.push_back(base == kNoElement || offset == kNoElement ? kNoElement : base + offset);
      }
    }
    indices = std::move(next);
  }
  auto result = std::make_shared<Constant>();
  const bool real = !source.reals.empty();
  for (const std::int64_t index : indices) {
    const auto position = static_cast<std::size_t>(index);
    if (real) {
      result->reals.push_back(index == kNoElement ? std::numeric_limits<double>::quiet_NaN()
                                                  : source.reals.at(position));
    } else {
      result->ints.push_back(index == kNoElement ? kUnknownInt : source.ints.at(position));
    }
  }
  return result;
}

Ints whole_axis(std::int64_t size, std::int64_t stride) {
  Ints offsets(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = static_cast<std::int64_t>(i) * stride;
  return offsets;
}

Contents broadcast_contents(const ShapeContext& context, std::size_t index, const Shape& shape) {
  const Constant* contents = known_contents(context, index);
  if (contents == nullptr) return nullptr;
  const Shape& input = context.shape(index);
  if (input == shape) return context.input(index).constant;
  const Ints strides = row_major_strides(input);
  const std::size_t added = shape.size() - input.size();
  std::vector<Ints> offsets;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const bool repeats = axis < added || input[axis - added] == 1;
    offsets.push_back(whole_axis(shape[axis], repeats ? 0 : strides[axis - added]));
  }
  return select(*contents, offsets);
}

std::optional<Ints> ints_attribute_or_input(const ShapeContext& context, std::string_view attribute,
                                            std::size_t index) {
  if (auto from_attribute = context.node().ints_attribute(attribute)) return from_attribute;
  if (!context.has_input(index)) return std::nullopt;
  const Ints* contents = context.ints(index);
  if (contents == nullptr) throw ShapeUnknown{};
  if (std::find(contents->begin(), contents->end(), kUnknownInt) != contents->end()) throw ShapeUnknown{};
  return *contents;
}

std::optional<std::int64_t> single_int(const ShapeContext& context, std::size_t index) {
  const Ints* contents = context.ints(index);
  if (contents == nullptr || contents->size() != 1 || contents->front() == kUnknownInt) return std::nullopt;
  return contents->front();
}

Shape sizes_from(const Ints& contents) {
  Shape shape;
  shape.reserve(contents.size());
  for (const std::int64_t size : contents) {
    if (size < 0 && size != kUnknownInt) throw bad_input("a size of " + std::to_string(size));
    shape.push_back(size == kUnknownInt ? kUnknownDim : size);
  }
  return shape;
}

Shape unknown_shape_of_length(const ShapeContext& context, std::size_t index) {
  const Shape& list = context.full_shape(index);
  // No tensor has thousands of axes: such a length is no rank.
  if (list.size() != 1 || list[0] > 64) throw ShapeUnknown{};
  return Shape(static_cast<std::size_t>(list[0]), kUnknownDim);
}

std::vector<bool> axis_mask(const Ints& axes, std::size_t rank) {
  std::vector<bool> mask(rank, false);
  for (const std::int64_t axis : axes) {
    const std::size_t position = normalize_axis(axis, rank);
    if (mask[position]) throw bad_input("axis " + std::to_string(axis) + " is named twice");
    mask[position] = true;
  }
  return mask;
}

}  // namespace layersim
