// Operators that give the elements of tensors another shape, order or tensor.

#include <algorithm>
#include <limits>
#include <numeric>

#include "sim/core/error.h"
#include "sim/import/torchscript/operator.h"
#include "sim/import/torchscript/operators/parts.h"

namespace layersim {
namespace {

using Ints = std::vector<std::int64_t>;

void same(TorchCall& call) { call.give(call[0]); }

// x, sizes
void reshape(TorchCall& call) { call.give(call.emit("Reshape", {call.tensor(0), call.sizes(1)})); }

void like_other(TorchCall& call) {
  call.give(call.emit(call.op().onnx, {call.tensor(0), call.emit("Shape", {call.tensor(1)})}));
}

// x, first, last: these axes become one.
void flatten(TorchCall& call) {
  const std::size_t rank = call.shape(0).size();
  const std::int64_t first = call.axis(1, rank);
  const std::int64_t last = call.axis(2, rank);
  if (first == 1 && last == static_cast<std::int64_t>(rank) - 1) {
    return call.give(call.emit("Flatten", {call.tensor(0)}, {{"axis", std::int64_t{1}}}));
  }
  Ints sizes;
  for (std::int64_t axis = 0; axis < static_cast<std::int64_t>(rank); ++axis) {
    if (axis == first) sizes.push_back(-1);
    // 0 keeps the size of the same place; behind the joined axes it would be another's.
    if (axis < first) sizes.push_back(0);
    if (axis > last) sizes.push_back(call.shape(0)[static_cast<std::size_t>(axis)]);
  }
  if (std::find_if(sizes.begin(), sizes.end(), [](auto size) { return size < -1; }) != sizes.end())
    throw ShapeUnknown{};
  call.give(call.emit("Reshape", {call.tensor(0), call.converter().ints(sizes)}));
}

// x, axis, sizes
void unflatten(TorchCall& call) {
  const Shape shape = call.shape(0);
  const auto axis = static_cast<std::size_t>(call.axis(1, shape.size()));
  Ints sizes(axis, 0);
  const Ints parts = call.ints(2);
  sizes.insert(sizes.end(), parts.begin(), parts.end());
  sizes.insert(sizes.end(), shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, shape.end());
  call.give(call.emit("Reshape", {call.tensor(0), call.converter().ints(sizes)}));
}

void transpose(TorchCall& call) {
  const std::size_t rank = call.shape(0).size();
  call.give(swap_axes(call, call.tensor(0), rank, static_cast<std::size_t>(call.axis(1, rank)),
                      static_cast<std::size_t>(call.axis(2, rank))));
}

void matrix_transpose(TorchCall& call) {
  const std::size_t rank = call.shape(0).size();
  if (rank < 2) return same(call);
  call.give(swap_axes(call, call.tensor(0), rank, rank - 2, rank - 1));
}

void permute(TorchCall& call) {
  Ints order = call.ints(1);
  for (std::int64_t& axis : order) axis = static_cast<std::int64_t>(normalize_axis(axis, order.size()));
  call.give(call.emit("Transpose", {call.tensor(0)}, {{"perm", order}}));
}

// x (, axis or axes)
void squeeze(TorchCall& call) {
  const Shape shape = call.shape(0);
  Ints axes;
  const Ints asked = call[1].is_none() ? Ints{} : call.ints(1);
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const bool wanted = call[1].is_none() || std::any_of(asked.begin(), asked.end(), [&](std::int64_t each) {
                          return normalize_axis(each, shape.size()) == axis;
                        });
    if (wanted && shape[axis] == 1) axes.push_back(static_cast<std::int64_t>(axis));
  }
  if (axes.empty()) return same(call);
  call.give(call.emit("Squeeze", {call.tensor(0), call.converter().ints(axes)}));
}

void unsqueeze(TorchCall& call) {
  const std::int64_t axis = call.axis(1, call.shape(0).size() + 1);
  call.give(call.emit("Unsqueeze", {call.tensor(0), call.converter().ints({axis})}));
}

// x, sizes, of which -1 keeps the size
void expand(TorchCall& call) {
  const TorchSequence* given = call[1].sequence();
  if (given == nullptr) throw ShapeUnknown{};
  std::vector<ValueId> parts;
  for (const TorchValue& item : given->items) {
    const auto known = known_int(call.converter(), item);
    if (const auto* number = item.get<TorchNumber>()) {
      parts.push_back(call.emit("Unsqueeze", {number->id, call.converter().ints({0})}));
    } else if (known) {
      parts.push_back(call.converter().ints({*known == -1 ? 1 : *known}));
    } else {
      throw ShapeUnknown{};
    }
  }
  call.give(call.emit("Expand", {call.tensor(0), call.emit("Concat", parts, {{"axis", std::int64_t{0}}})}));
}

// x, times for each axis, new axes in front included
void repeat(TorchCall& call) {
  const Ints times = call.ints(1);
  const std::size_t rank = call.shape(0).size();
  if (times.size() < rank) throw ShapeUnknown{};
  ValueId x = call.tensor(0);
  if (times.size() > rank) {
    Ints front(times.size() - rank);
    std::iota(front.begin(), front.end(), 0);
    x = call.emit("Unsqueeze", {x, call.converter().ints(front)});
  }
  call.give(call.emit("Tile", {x, call.converter().ints(times)}));
}

void concatenate(TorchCall& call) {
  const std::vector<ValueId> parts = call.tensors(0);
  call.give(parts.size() == 1 ? parts[0] : call.emit("Concat", parts, {{"axis", call.integer(1)}}));
}

// A new axis for the parts to follow each other along.
void stack(TorchCall& call) {
  std::vector<ValueId> parts = call.tensors(0);
  for (ValueId& part : parts) part = call.emit("Unsqueeze", {part, call.converter().ints({call.integer(1)})});
  call.give(call.emit("Concat", parts, {{"axis", call.integer(1)}}));
}

void give_parts(TorchCall& call, const Ints& sizes, std::size_t axis, bool drop_axis) {
  TorchConverter& converter = call.converter();
  std::vector<TorchValue> parts;
  if (sizes.size() == 1 && !drop_axis) {
    parts.push_back(call[0]);
  } else {
    call.emit("Split", {call.tensor(0), converter.ints(sizes)}, {{"axis", static_cast<std::int64_t>(axis)}},
              sizes.size());
    const std::vector<ValueId> outputs = converter.graph().nodes.back().outputs;
    for (const ValueId output : outputs) {
      const ValueId part =
          drop_axis ? call.emit("Squeeze", {output, converter.ints({static_cast<std::int64_t>(axis)})})
                    : output;
      parts.emplace_back(TorchTensorValue{part});
    }
  }
  call.give(make_sequence(TorchSequence::Kind::list, std::move(parts)));
}

constexpr std::int64_t kMaxParts = 100'000;

Ints parts_of(std::int64_t whole, std::int64_t part) {
  if (whole < 0 || part < 1 || whole / part > kMaxParts) throw ShapeUnknown{};
  Ints sizes(static_cast<std::size_t>(whole / part), part);
  if (whole % part != 0) sizes.push_back(whole % part);
  return sizes;
}

// x, size or sizes, axis
void split(TorchCall& call) {
  const auto axis = static_cast<std::size_t>(call.axis(2, call.shape(0).size()));
  const bool listed = call[1].sequence() != nullptr;
  give_parts(call, listed ? call.ints(1) : parts_of(call.shape(0).at(axis), call.integer(1)), axis, false);
}

// x, number, axis
void chunk(TorchCall& call) {
  const auto axis = static_cast<std::size_t>(call.axis(2, call.shape(0).size()));
  const std::int64_t whole = call.shape(0).at(axis);
  const std::int64_t count = call.integer(1);
  if (whole < 0 || count < 1) throw ShapeUnknown{};
  give_parts(call, parts_of(whole, (whole + count - 1) / count), axis, false);
}

void unbind(TorchCall& call) {
  const auto axis = static_cast<std::size_t>(call.axis(1, call.shape(0).size()));
  give_parts(call, parts_of(call.shape(0).at(axis), 1), axis, true);
}

// x, axis, place
void select(TorchCall& call) {
  const std::int64_t axis = call.axis(1, call.shape(0).size());
  const ValueId place =
      call[2].get<TorchNumber>() != nullptr ? call.tensor(2) : call.converter().int_scalar(call.integer(2));
  call.give(call.emit("Gather", {call.tensor(0), place}, {{"axis", axis}}));
}

void slice_list(TorchCall& call) {
  const TorchSequence& from = *call[0].sequence();
  const auto count = static_cast<std::int64_t>(from.items.size());
  const auto end_of = [&](std::size_t i, std::int64_t fallback) {
    const std::int64_t place = call.integer_or(i, fallback);
    return std::clamp<std::int64_t>(place < 0 ? place + count : place, 0, count);
  };
  const std::int64_t step = call.integer_or(3, 1);
  if (step < 1) throw ShapeUnknown{};
  std::vector<TorchValue> items;
  for (std::int64_t i = end_of(1, 0); i < end_of(2, count); i += step) {
    items.push_back(from.items[static_cast<std::size_t>(i)]);
  }
  call.give(make_sequence(from.kind, std::move(items)));
}

// x, axis, begin, end, step; or a list, begin, end, step
void slice(TorchCall& call) {
  if (call[0].sequence() != nullptr) return slice_list(call);
  const std::int64_t axis = call.axis(1, call.shape(0).size());
  const auto end_of = [&](std::size_t i, std::int64_t fallback) {
    if (call[i].get<TorchNumber>() != nullptr) {
      return call.emit("Unsqueeze", {call.tensor(i), call.converter().ints({0})});
    }
    return call.converter().ints({call.integer_or(i, fallback)});
  };
  const std::int64_t begin = call[2].get<TorchNumber>() != nullptr ? 1 : call.integer_or(2, 0);
  const bool to_end = call[3].is_none() || call.integer_or(3, 0) == std::numeric_limits<std::int64_t>::max();
  if (begin == 0 && to_end && call.integer_or(4, 1) == 1) return same(call);
  TorchConverter& converter = call.converter();
  call.give(
      call.emit("Slice", {call.tensor(0), end_of(2, 0), end_of(3, std::numeric_limits<std::int64_t>::max()),
                          converter.ints({axis}), converter.ints({call.integer_or(4, 1)})}));
}

// x, axis, begin, length
void narrow(TorchCall& call) {
  TorchConverter& converter = call.converter();
  const std::int64_t begin = call.integer(2);
  call.give(
      call.emit("Slice", {call.tensor(0), converter.ints({begin}), converter.ints({begin + call.integer(3)}),
                          converter.ints({call.axis(1, call.shape(0).size())})}));
}

// x, axis, places
void index_select(TorchCall& call) {
  call.give(call.emit(call.op().onnx, {call.tensor(0), call.tensor(2)},
                      {{"axis", call.axis(1, call.shape(0).size())}}));
}

// table, places
void embedding(TorchCall& call) {
  call.give(call.emit("Gather", {call.tensor(0), call.tensor(1)}, {{"axis", std::int64_t{0}}}));
}

// x, a list with one tensor of places at its axis
void index(TorchCall& call) {
  const TorchSequence* list = call[1].sequence();
  if (list == nullptr) throw ShapeUnknown{};
  std::size_t axis = list->items.size();
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    if (list->items[i].is_none()) continue;
    if (axis != list->items.size() || !list->items[i].is_tensor()) throw ShapeUnknown{};
    axis = i;
  }
  if (axis == list->items.size()) throw ShapeUnknown{};
  const ValueId places = list->items[axis].get<TorchTensorValue>()->id;
  if (!is_integer(call.converter().tensor(places).dtype)) throw ShapeUnknown{};  // a mask
  call.give(call.emit("Gather", {call.tensor(0), places}, {{"axis", static_cast<std::int64_t>(axis)}}));
}

// x, begin and end of the last axis, of the one before ...
void pad(TorchCall& call) {
  const Ints given = call.ints(1);
  const std::size_t rank = call.shape(0).size();
  if (given.size() % 2 != 0 || given.size() / 2 > rank)
    throw bad_input("its padding does not fit the tensor");
  Ints pads(2 * rank, 0);
  for (std::size_t i = 0; i < given.size() / 2; ++i) {
    pads[rank - 1 - i] = given[2 * i];
    pads[2 * rank - 1 - i] = given[2 * i + 1];
  }
  call.give(call.emit("Pad", {call.tensor(0), call.converter().ints(pads)}));
}

// x, upper side of which diagonal
void triangle(TorchCall& call) {
  call.give(call.emit("Trilu", {call.tensor(0), call.converter().int_scalar(call.integer_or(1, 0))},
                      {{"upper", std::int64_t{call.op().name == "triu"}}}));
}

// x, factor
void shuffle_pixels(TorchCall& call) {
  call.give(call.emit(call.op().onnx, {call.tensor(0)}, {{"blocksize", call.integer(1)}}));
}

// x, output sizes, then (a flag and) factors
void upsample(TorchCall& call) {
  TorchConverter& converter = call.converter();
  const bool nearest = call.op().name.find("nearest") != std::string_view::npos;
  const std::string mode = nearest                                                  ? "nearest"
                           : call.op().name.find("cubic") != std::string_view::npos ? "cubic"
                                                                                    : "linear";
  const Shape shape = call.shape(0);
  for (std::size_t i = 1; i < call.count(); ++i) {
    const TorchSequence* list = call[i].sequence();
    if (list == nullptr || list->items.size() + 2 != shape.size()) continue;
    std::vector<ValueId> inputs{call.tensor(0), kNoValue};
    if (list->items[0].get<double>() != nullptr) {
      Constant factors{{}, {1, 1}};
      for (const TorchValue& item : list->items)
        factors.reals.push_back(known_real(converter, item).value_or(1));
      const ValueId id = converter.filler({static_cast<std::int64_t>(factors.reals.size())}, DType::f32);
      converter.graph().value(id).tensor.constant = std::make_shared<const Constant>(std::move(factors));
      inputs.push_back(id);
    } else {
      const ValueId all = call.emit("Shape", {call.tensor(0)});
      const ValueId front =
          call.emit("Slice", {all, converter.ints({0}), converter.ints({2}), converter.ints({0})});
      inputs.push_back(kNoValue);
      inputs.push_back(call.emit("Concat", {front, call.sizes(i)}, {{"axis", std::int64_t{0}}}));
    }
    return call.give(call.emit("Resize", inputs, {{"mode", mode}}));
  }
  throw ShapeUnknown{};
}

}  // namespace

std::span<const TorchOperator> torch_layouts() {
  static constexpr TorchOperator kOperators[] = {
      {"contiguous", same},
      {"detach", same},
      {"clone", same},
      {"alias", same},
      {"view", reshape},
      {"reshape", reshape},
      {"_reshape_alias", reshape},
      {"view_as", like_other, "Reshape"},
      {"reshape_as", like_other, "Reshape"},
      {"expand_as", like_other, "Expand"},
      {"flatten", flatten},
      {"unflatten", unflatten},
      {"transpose", transpose},
      {"swapaxes", transpose},
      {"t", matrix_transpose},
      {"numpy_T", matrix_transpose},
      {"permute", permute},
      {"squeeze", squeeze},
      {"unsqueeze", unsqueeze},
      {"expand", expand},
      {"repeat", repeat},
      {"cat", concatenate},
      {"concat", concatenate},
      {"stack", stack},
      {"split", split},
      {"split_with_sizes", split},
      {"chunk", chunk},
      {"ConstantChunk", chunk},
      {"unbind", unbind},
      {"select", select},
      {"slice", slice},
      {"narrow", narrow},
      {"index_select", index_select, "Gather"},
      {"gather", index_select, "GatherElements"},
      {"embedding", embedding},
      {"index", index},
      {"pad", pad},
      {"constant_pad_nd", pad},
      {"reflection_pad1d", pad},
      {"reflection_pad2d", pad},
      {"replication_pad1d", pad},
      {"replication_pad2d", pad},
      {"tril", triangle},
      {"triu", triangle},
      {"pixel_shuffle", shuffle_pixels, "DepthToSpace"},
      {"pixel_unshuffle", shuffle_pixels, "SpaceToDepth"},
      {"upsample_nearest1d", upsample},
      {"upsample_nearest2d", upsample},
      {"upsample_nearest3d", upsample},
      {"upsample_linear1d", upsample},
      {"upsample_bilinear2d", upsample},
      {"upsample_trilinear3d", upsample},
      {"upsample_bicubic2d", upsample},
  };
  return kOperators;
}

}  // namespace layersim
