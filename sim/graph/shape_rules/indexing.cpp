// Operators that pick or replace elements by index.

#include <algorithm>
#include <span>

#include "sim/core/checked.h"
#include "sim/core/error.h"
#include "sim/graph/shape_rules/contents.h"

namespace layersim {
namespace {

void gather(ShapeContext& context) {
  const Shape& data = context.shape(0);
  const Shape& indices = context.shape(1);
  const std::size_t axis = normalize_axis(context.int_or("axis", 0), data.size());
  const auto cut = data.begin() + static_cast<std::ptrdiff_t>(axis);
  Shape shape(data.begin(), cut);
  shape.insert(shape.end(), indices.begin(), indices.end());
  shape.insert(shape.end(), cut + 1, data.end());
  const Constant* contents = known_contents(context, 0);
  const Ints* picks = context.ints(1);
  Contents gathered;
  if (contents != nullptr && picks != nullptr && is_trackable(shape)) {
    const Ints strides = row_major_strides(data);
    std::vector<Ints> offsets;
    for (std::size_t k = 0; k < data.size(); ++k) {
      if (k != axis) {
        offsets.push_back(whole_axis(data[k], strides[k]));
        continue;
      }
      Ints& picked = offsets.emplace_back();
      for (const std::int64_t pick : *picks) {
        const std::int64_t position = pick == kUnknownInt ? kNoElement : pick < 0 ? pick + data[axis] : pick;
        if (pick != kUnknownInt && (position < 0 || position >= data[axis])) {
          throw bad_input("index " + std::to_string(pick) + " lies outside axis " + std::to_string(axis) +
                          " of " + to_string(data));
        }
        picked.push_back(position == kNoElement ? kNoElement : position * strides[axis]);
      }
    }
    gathered = select(*contents, offsets);
  }
  context.set_output(0, context.dtype(0), std::move(shape), std::move(gathered));
}

// data, indices, scales: a gather that dequantizes; data of fewer bits than a byte may be packed along the
// last axis.
void gather_block_quantized(ShapeContext& context) {
  const Shape& data = context.shape(0);
  const Shape& indices = context.shape(1);
  const std::size_t axis = normalize_axis(context.int_or("gather_axis", 0), data.size());
  const std::int64_t width = context.int_or("bits", 4);
  if (width < 1 || width > 8) throw bad_input("elements of " + std::to_string(width) + " bits");
  Shape shape(data.begin(), data.begin() + static_cast<std::ptrdiff_t>(axis));
  shape.insert(shape.end(), indices.begin(), indices.end());
  shape.insert(shape.end(), data.begin() + static_cast<std::ptrdiff_t>(axis) + 1, data.end());
  const bool packed = context.dtype(0) == DType::u8 && axis + 1 < data.size() && shape.back() > 0;
  if (packed) shape.back() = checked_multiply(shape.back(), 8 / width);
  context.set_output(0, context.dtype(2), std::move(shape));
}

void gather_elements(ShapeContext& context) {
  if (context.shape(0).size() != context.shape(1).size()) {
    throw bad_input("data " + to_string(context.shape(0)) + " and indices " + to_string(context.shape(1)) +
                    " differ in rank");
  }
  context.set_output(0, context.dtype(0), context.shape(1));
}

void gather_nd(ShapeContext& context) {
  const Shape& data = context.shape(0);
  const Shape& indices = context.shape(1, 1);
  if (indices.back() < 0) throw ShapeUnknown{};
  const std::int64_t first = checked_add(context.int_or("batch_dims", 0), indices.back());
  if (first < 0 || first > static_cast<std::int64_t>(data.size())) {
    throw bad_input("indices of " + std::to_string(indices.back()) + " axes into a tensor of rank " +
                    std::to_string(data.size()));
  }
  Shape shape(indices.begin(), indices.end() - 1);
  shape.insert(shape.end(), data.begin() + static_cast<std::ptrdiff_t>(first), data.end());
  context.set_output(0, context.dtype(0), std::move(shape));
}

void same_shape(ShapeContext& context) { context.set_output(0, context.dtype(0), context.shape(0)); }

// Shape lists that a network edits in place: one-dimensional contents are followed.
template <bool kElements>
void scatter_in_list(ShapeContext& context) {
  const Shape& data = context.shape(0);
  const Ints* contents = context.ints(0);
  const Ints* indices = context.ints(1);
  Contents edited;
  if (contents != nullptr && indices != nullptr && data.size() == 1 &&
      context.text_or("reduction", "none") == "none") {
    Ints list = *contents;
    const Ints* updates = context.ints(2);
    const Shape& index_shape = context.shape(1);
    const Shape& update_shape = context.shape(2);
    const bool fits =
        is_known(update_shape) && element_count(update_shape) == static_cast<std::int64_t>(indices->size());
    const bool known = std::find(indices->begin(), indices->end(), kUnknownInt) == indices->end();
    if (fits && known && (kElements || (!index_shape.empty() && index_shape.back() == 1))) {
      for (std::size_t i = 0; i < indices->size(); ++i) {
        list[normalize_axis((*indices)[i], list.size())] = updates != nullptr ? (*updates)[i] : kUnknownInt;
      }
      edited = make_contents(std::move(list));
    }
  }
  context.set_output(0, context.dtype(0), data, std::move(edited));
}

void one_hot(ShapeContext& context) {
  Shape shape = context.shape(0);
  const std::size_t axis = normalize_axis(context.int_or("axis", -1), shape.size() + 1);
  const auto depth = single_int(context, 1);
  if (depth && *depth < 0) throw bad_input("a depth of " + std::to_string(*depth));
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), depth.value_or(kUnknownDim));
  context.set_output(0, context.dtype(2), std::move(shape));
}

void compress(ShapeContext& context) {
  const Ints* condition = context.ints(1);
  std::int64_t kept = kUnknownDim;
  if (condition != nullptr &&
      std::find(condition->begin(), condition->end(), kUnknownInt) == condition->end()) {
    kept = static_cast<std::int64_t>(condition->size()) - std::count(condition->begin(), condition->end(), 0);
  }
  const auto axis = context.node().int_attribute("axis");
  if (!axis) return context.set_output(0, context.dtype(0), {kept});
  Shape shape = context.shape(0);
  shape[normalize_axis(*axis, shape.size())] = kept;
  context.set_output(0, context.dtype(0), std::move(shape));
}

// Indices of what is not zero, one column each. Old exports make number ranges by it, from contents that are
// known.
void non_zero(ShapeContext& context) {
  const Shape& input = context.shape(0);
  const auto rank = static_cast<std::int64_t>(input.size());
  const Ints* ints = context.ints(0);
  const std::vector<double>* reals = context.reals(0);
  const bool known =
      (ints != nullptr && std::find(ints->begin(), ints->end(), kUnknownInt) == ints->end()) ||
      (reals != nullptr && std::none_of(reals->begin(), reals->end(), [](double x) { return x != x; }));
  if (!known || rank != 1) return context.set_output(0, DType::i64, {rank, kUnknownDim});
  Ints found;
  for (std::size_t i = 0; i < static_cast<std::size_t>(input[0]); ++i) {
    if (ints != nullptr ? (*ints)[i] != 0 : (*reals)[i] != 0) found.push_back(static_cast<std::int64_t>(i));
  }
  const auto count = static_cast<std::int64_t>(found.size());
  context.set_output(0, DType::i64, {1, count}, make_contents(std::move(found)));
}

void unique(ShapeContext& context) {
  const Shape& input = context.shape(0);
  Shape shape{kUnknownDim};
  Shape inverse{is_known(input) ? element_count(input) : kUnknownDim};
  if (const auto axis = context.node().int_attribute("axis")) {
    const std::size_t position = normalize_axis(*axis, input.size());
    shape = input;
    shape[position] = kUnknownDim;
    inverse = {input[position]};
  }
  context.set_output(0, context.dtype(0), std::move(shape));
  context.set_output(1, DType::i64, {kUnknownDim});
  context.set_output(2, DType::i64, std::move(inverse));
  context.set_output(3, DType::i64, {kUnknownDim});
}

void top_k(ShapeContext& context) {
  Shape shape = context.shape(0);
  const std::size_t axis = normalize_axis(context.int_or("axis", -1), shape.size());
  const auto attribute = context.node().int_attribute("k");
  const std::int64_t count = attribute ? *attribute : single_int(context, 1).value_or(kUnknownDim);
  if (count < kUnknownDim || (count > shape[axis] && shape[axis] >= 0)) {
    throw bad_input("the top " + std::to_string(count) + " of " + std::to_string(shape[axis]));
  }
  shape[axis] = count;
  context.set_output(0, context.dtype(0), shape);
  context.set_output(1, DType::i64, std::move(shape));
}

}  // namespace

std::span<const ShapeRule> indexing_rules() {
  static constexpr ShapeRule kRules[] = {
      {"Gather", gather},
      {"GatherElements", gather_elements},
      {"GatherND", gather_nd},
      {"Scatter", scatter_in_list<true>},
      {"ScatterElements", scatter_in_list<true>},
      {"ScatterND", scatter_in_list<false>},
      {"TensorScatter", same_shape},
      {"OneHot", one_hot},
      {"Compress", compress},
      {"NonZero", non_zero},
      {"Unique", unique},
      {"TopK", top_k},
      {"GatherND", gather_nd, "com.microsoft"},
      {"GatherBlockQuantized", gather_block_quantized, "com.microsoft"},
  };
  return kRules;
}

}  // namespace layersim
