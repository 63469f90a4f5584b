// Operators that reduce or accumulate along axes.

#include <algorithm>
#include <numeric>
#include <span>

#include "sim/core/error.h"
#include "sim/graph/shape_rules/contents.h"

namespace layersim {
namespace {

using Fold = std::int64_t (*)(std::int64_t, std::int64_t);

std::vector<bool> reduced_axes(const ShapeContext& context, std::size_t rank) {
  const auto axes = ints_attribute_or_input(context, "axes", 1);
  if (axes && !axes->empty()) return axis_mask(*axes, rank);
  return std::vector<bool>(rank, context.int_or("noop_with_empty_axes", 0) == 0);
}

// Contents of a list that is reduced to one number: the product of sizes, say.
Contents fold_list(const ShapeContext& context, bool reduces, Fold fold) {
  const Ints* list = context.ints(0);
  if (list == nullptr || list->empty() || fold == nullptr || context.shape(0).size() != 1) return nullptr;
  if (!reduces) return context.input(0).constant;
  if (std::find(list->begin(), list->end(), kUnknownInt) != list->end()) return nullptr;
  return make_contents(Ints{std::accumulate(list->begin() + 1, list->end(), list->front(), fold)});
}

template <Fold kFold>
void reduce(ShapeContext& context) {
  const Shape& input = context.shape(0);
  std::vector<bool> reduced;
  try {
    reduced = reduced_axes(context, input.size());
  } catch (const ShapeUnknown&) {
    if (context.int_or("keepdims", 1) == 0) throw;
    return context.set_output(0, context.dtype(0), Shape(input.size(), kUnknownDim));
  }
  const bool keep = context.int_or("keepdims", 1) != 0;
  Shape shape;
  for (std::size_t axis = 0; axis < input.size(); ++axis) {
    if (!reduced[axis]) shape.push_back(input[axis]);
    if (reduced[axis] && keep) shape.push_back(1);
  }
  Contents contents = fold_list(context, reduced == std::vector<bool>{true}, kFold);
  context.set_output(0, context.dtype(0), std::move(shape), std::move(contents));
}

std::int64_t fold_sum(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return a == kUnknownInt || __builtin_add_overflow(a, b, &sum) ? kUnknownInt : sum;
}
std::int64_t fold_product(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return a == kUnknownInt || __builtin_mul_overflow(a, b, &product) ? kUnknownInt : product;
}
std::int64_t fold_min(std::int64_t a, std::int64_t b) { return std::min(a, b); }
std::int64_t fold_max(std::int64_t a, std::int64_t b) { return std::max(a, b); }

void index_of_extreme(ShapeContext& context) {
  Shape shape = context.shape(0);
  const std::size_t axis = normalize_axis(context.int_or("axis", 0), shape.size());
  if (context.int_or("keepdims", 1) != 0) {
    shape[axis] = 1;
  } else {
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  }
  context.set_output(0, DType::i64, std::move(shape));
}

void cumulative(ShapeContext& context) {
  const Shape& input = context.shape(0);
  const Ints* list = context.ints(0);
  const bool plain = context.int_or("exclusive", 0) == 0 && context.int_or("reverse", 0) == 0;
  Contents contents;
  if (context.node().op == "CumSum" && plain && list != nullptr && input.size() == 1) {
    Ints sums = *list;
    for (std::size_t i = 1; i < sums.size(); ++i)
      sums[i] = sums[i] == kUnknownInt ? kUnknownInt : fold_sum(sums[i - 1], sums[i]);
    contents = make_contents(std::move(sums));
  }
  context.set_output(0, context.dtype(0), input, std::move(contents));
}

}  // namespace

std::span<const ShapeRule> reductions_rules() {
  static constexpr ShapeRule kRules[] = {
      {"ReduceMean", reduce<nullptr>},
      {"ReduceSum", reduce<fold_sum>},
      {"ReduceProd", reduce<fold_product>},
      {"ReduceMin", reduce<fold_min>},
      {"ReduceMax", reduce<fold_max>},
      {"ReduceL1", reduce<nullptr>},
      {"ReduceL2", reduce<nullptr>},
      {"ReduceLogSum", reduce<nullptr>},
      {"ReduceLogSumExp", reduce<nullptr>},
      {"ReduceSumSquare", reduce<nullptr>},
      {"ReduceSumInteger", reduce<nullptr>, "com.microsoft"},
      {"ArgMax", index_of_extreme},
      {"ArgMin", index_of_extreme},
      {"CumSum", cumulative},
      {"CumProd", cumulative},
  };
  return kRules;
}

}  // namespace layersim
