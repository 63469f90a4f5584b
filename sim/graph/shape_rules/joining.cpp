// Operators that put tensors together.

#include <algorithm>
#include <limits>
#include <span>

#include "sim/core/checked.h"
#include "sim/core/error.h"
#include "sim/graph/shape_rules/contents.h"

namespace layersim {
namespace {

// The contents of all parts in the order of the result; unknown numbers where a part is not known.
Contents join_contents(const ShapeContext& context, std::size_t axis, const Shape& shape) {
  if (context.input_count() > static_cast<std::size_t>(kMaxConstantElements)) return nullptr;
  bool any = false;
  for (std::size_t i = 0; i < context.input_count(); ++i) any = any || known_contents(context, i) != nullptr;
  if (!any || !is_trackable(shape)) return nullptr;
  const bool real = is_float(context.dtype(0));
  for (std::size_t i = 0; i < context.input_count(); ++i) {
    if (is_float(context.dtype(i)) != real) return nullptr;
  }
  auto joined = std::make_shared<Constant>();
  const std::int64_t outer = element_count(shape, 0, axis);
  const std::int64_t inner = element_count(shape, axis + 1, shape.size());
  for (std::int64_t row = 0; row < outer; ++row) {
    for (std::size_t i = 0; i < context.input_count(); ++i) {
      const std::int64_t run = context.shape(i)[axis] * inner;
      const Constant* contents = known_contents(context, i);
      for (std::int64_t k = 0; k < run; ++k) {
        const auto position = static_cast<std::size_t>(row * run + k);
        if (real) {
          joined->reals.push_back(contents != nullptr ? contents->reals.at(position)
                                                      : std::numeric_limits<double>::quiet_NaN());
        } else {
          joined->ints.push_back(contents != nullptr ? contents->ints.at(position) : kUnknownInt);
        }
      }
    }
  }
  return joined;
}

void concat(ShapeContext& context) {
  Shape shape = context.shape(0);
  // Operator set 3 and older had a default axis, 1.
  const std::size_t axis = normalize_axis(context.int_or("axis", 1), shape.size());
  for (std::size_t i = 1; i < context.input_count(); ++i) {
    const Shape& part = context.shape(i);
    if (part.size() != shape.size()) {
      throw bad_input("input 0 " + to_string(context.shape(0)) + " and input " + std::to_string(i) + " " +
                      to_string(part) + " differ in rank");
    }
    for (std::size_t k = 0; k < shape.size(); ++k) {
      if (k == axis) {
        shape[k] = shape[k] < 0 || part[k] < 0 ? kUnknownDim : checked_add(shape[k], part[k]);
      } else if (shape[k] < 0) {
        shape[k] = part[k];
      } else if (part[k] >= 0 && part[k] != shape[k]) {
        throw bad_input("input 0 " + to_string(context.shape(0)) + " and input " + std::to_string(i) + " " +
                        to_string(part) + " differ outside axis " + std::to_string(axis));
      }
    }
  }
  Contents contents = join_contents(context, axis, shape);
  context.set_output(0, context.dtype(0), std::move(shape), std::move(contents));
}

}  // namespace

std::span<const ShapeRule> joining_rules() {
  static constexpr ShapeRule kRules[] = {{"Concat", concat}};
  return kRules;
}

}  // namespace layersim
