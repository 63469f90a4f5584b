// Operators on sequences of tensors. A sequence is followed element by element as long as it is short.

#include <algorithm>
#include <span>

#include "sim/core/checked.h"
#include "sim/core/error.h"
#include "sim/graph/onnx_dtype.h"
#include "sim/graph/shape_rules/contents.h"

namespace layersim {
namespace {

using Sequence = std::vector<Tensor>;

const Sequence& sequence_input(const ShapeContext& context, std::size_t index) {
  const ValueId id = context.node().input(index);
  if (id == kNoValue) throw bad_input("input " + std::to_string(index) + " is absent");
  const auto& sequence = context.graph().value(id).sequence;
  if (!sequence) throw ShapeUnknown{};
  return *sequence;
}

void set_tensor(ShapeContext& context, const Tensor& tensor) {
  if (!tensor.shape) throw ShapeUnknown{};
  context.set_output(0, tensor.dtype, *tensor.shape, tensor.constant);
}

// What all elements have in common: sizes that differ are not known.
Tensor common_element(const Sequence& sequence) {
  if (sequence.empty() || !sequence.front().shape) throw ShapeUnknown{};
  Tensor common{sequence.front().dtype, sequence.front().shape, nullptr};
  for (const Tensor& element : sequence) {
    if (!element.shape || element.shape->size() != common.shape->size()) throw ShapeUnknown{};
    for (std::size_t axis = 0; axis < common.shape->size(); ++axis) {
      if ((*element.shape)[axis] != (*common.shape)[axis]) (*common.shape)[axis] = kUnknownDim;
    }
  }
  return common;
}

// Where an operator inserts or takes; throws ShapeUnknown for a position that only the data tells.
std::size_t known_position(const ShapeContext& context, std::size_t index, std::size_t length) {
  const auto position = single_int(context, index);
  if (!position) throw ShapeUnknown{};
  return normalize_axis(*position, length);
}

void sequence_empty(ShapeContext& context) { context.set_output_sequence(0, {}); }

void sequence_construct(ShapeContext& context) {
  Sequence sequence;
  for (std::size_t i = 0; i < context.input_count(); ++i) sequence.push_back(context.input(i));
  context.set_output_sequence(0, std::move(sequence));
}

void sequence_at(ShapeContext& context) {
  const Sequence& sequence = sequence_input(context, 0);
  if (!single_int(context, 1)) return set_tensor(context, common_element(sequence));
  const auto position = single_int(context, 1);
  const auto length = static_cast<std::int64_t>(sequence.size());
  if (*position < -length || *position >= length) {
    throw bad_input("position " + std::to_string(*position) + " in a sequence of " + std::to_string(length));
  }
  set_tensor(context, sequence[static_cast<std::size_t>(*position < 0 ? *position + length : *position)]);
}

void sequence_insert(ShapeContext& context) {
  Sequence sequence = sequence_input(context, 0);
  if (sequence.size() >= static_cast<std::size_t>(kMaxConstantElements)) throw ShapeUnknown{};
  const std::size_t end = sequence.size();
  const std::size_t position = context.has_input(2) ? known_position(context, 2, end + 1) : end;
  sequence.insert(sequence.begin() + static_cast<std::ptrdiff_t>(position), context.input(1));
  context.set_output_sequence(0, std::move(sequence));
}

void sequence_erase(ShapeContext& context) {
  Sequence sequence = sequence_input(context, 0);
  if (sequence.empty()) throw bad_input("nothing to erase in an empty sequence");
  const std::size_t last = sequence.size() - 1;
  const std::size_t position = context.has_input(1) ? known_position(context, 1, sequence.size()) : last;
  sequence.erase(sequence.begin() + static_cast<std::ptrdiff_t>(position));
  context.set_output_sequence(0, std::move(sequence));
}

void sequence_length(ShapeContext& context) {
  const ValueId id = context.node().input(0);
  const auto& sequence = id == kNoValue ? std::nullopt : context.graph().value(id).sequence;
  Contents contents = sequence ? make_contents(Ints{static_cast<std::int64_t>(sequence->size())}) : nullptr;
  context.set_output(0, DType::i64, {}, std::move(contents));
}

// Parts of one size (a scalar; 1 when absent), the last one smaller, or of the sizes given.
void split_to_sequence(ShapeContext& context) {
  const Shape& input = context.shape(0);
  const std::size_t axis = normalize_axis(context.int_or("axis", 0), input.size());
  const bool one_by_one = !context.has_input(1);
  const bool by_sizes = !one_by_one && context.shape(1).size() == 1;
  Ints sizes;
  if (by_sizes) {
    const Ints* list = context.ints(1);
    if (list == nullptr) throw ShapeUnknown{};
    sizes = sizes_from(*list);
  } else {
    const auto part = one_by_one ? std::optional<std::int64_t>(1) : single_int(context, 1);
    if (!part || input[axis] < 0) throw ShapeUnknown{};
    if (*part < 1) throw bad_input("parts of size " + std::to_string(*part));
    if (input[axis] / *part >= kMaxConstantElements) throw ShapeUnknown{};
    for (std::int64_t rest = input[axis]; rest > 0; rest -= *part) sizes.push_back(std::min(rest, *part));
  }
  const bool drops_axis = one_by_one && context.int_or("keepdims", 1) == 0;
  Sequence sequence;
  for (const std::int64_t size : sizes) {
    Tensor& element = sequence.emplace_back(Tensor{context.dtype(0), input, nullptr});
    if (drops_axis) {
      element.shape->erase(element.shape->begin() + static_cast<std::ptrdiff_t>(axis));
    } else {
      (*element.shape)[axis] = size;
    }
  }
  context.set_output_sequence(0, std::move(sequence));
}

void concat_from_sequence(ShapeContext& context) {
  const Sequence& sequence = sequence_input(context, 0);
  if (sequence.empty() || !sequence.front().shape) throw ShapeUnknown{};
  const auto axis = context.node().int_attribute("axis");
  if (!axis) throw bad_input("attribute 'axis' is missing");
  Shape shape = *sequence.front().shape;
  if (context.int_or("new_axis", 0) != 0) {
    shape = *common_element(sequence).shape;
    const std::size_t position = normalize_axis(*axis, shape.size() + 1);
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(position),
                 static_cast<std::int64_t>(sequence.size()));
  } else {
    const std::size_t position = normalize_axis(*axis, shape.size());
    for (std::size_t i = 1; i < sequence.size(); ++i) {
      if (!sequence[i].shape) throw ShapeUnknown{};
      const Shape& part = *sequence[i].shape;
      if (part.size() != shape.size()) throw bad_input("elements of the sequence differ in rank");
      const bool known = shape[position] >= 0 && part[position] >= 0;
      shape[position] = known ? checked_add(shape[position], part[position]) : kUnknownDim;
    }
  }
  context.set_output(0, sequence.front().dtype, std::move(shape));
}

void optional_has_element(ShapeContext& context) {
  context.set_output(0, DType::boolean, {}, make_contents(Ints{context.has_input(0) ? 1 : 0}));
}

}  // namespace

std::span<const ShapeRule> sequences_rules() {
  static constexpr ShapeRule kRules[] = {
      {"SequenceEmpty", sequence_empty},
      {"SequenceConstruct", sequence_construct},
      {"SequenceAt", sequence_at},
      {"SequenceInsert", sequence_insert},
      {"SequenceErase", sequence_erase},
      {"SequenceLength", sequence_length},
      {"SplitToSequence", split_to_sequence},
      {"ConcatFromSequence", concat_from_sequence},
      {"OptionalHasElement", optional_has_element},
  };
  return kRules;
}

}  // namespace layersim
