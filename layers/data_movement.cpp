// Operators that copy data into another order or place: each element that is needed is read once and each
// element of the result written once. Where nothing moves (a transposition of axes of size 1, a slice of
// everything, padding by zero) the node is a view and gives no layer.

#include <algorithm>
#include <string_view>

#include "layers/kinds.h"
#include "layers/lowering.h"
#include "layers/work.h"
#include "sim/core/error.h"

namespace layersim {
namespace {

enum DataMovementSize : std::size_t { kRead, kWritten, kFunction };
enum Function : std::int64_t { kTranspose, kPad, kSlice, kSplit, kGather, kScatter, kExpand, kFill };

void add_movement(LoweringContext& context, Function function, std::int64_t read, std::int64_t written) {
  const DType dtype = function == kFill ? context.output_dtype(0) : context.dtype(0);
  context.add(make_problem(data_movement_kind(), dtype,
                           {{"elements_read", read}, {"elements_written", written}, {"function", function}}));
}

std::int64_t elements_in(const LoweringContext& context) { return element_count(context.full_shape(0)); }
std::int64_t elements_out(const LoweringContext& context) { return element_count(context.output_shape(0)); }

// The axes larger than 1 keep their order.
bool keeps_order(const Shape& shape, const std::vector<std::int64_t>& permutation) {
  std::int64_t last = -1;
  for (const std::int64_t axis : permutation) {
    if (axis < 0 || axis >= static_cast<std::int64_t>(shape.size())) return false;
    if (shape[static_cast<std::size_t>(axis)] == 1) continue;
    if (axis < last) return false;
    last = axis;
  }
  return true;
}

void lower_transpose(LoweringContext& context) {
  const Shape& input = context.full_shape(0);
  std::vector<std::int64_t> reversed;
  for (std::size_t i = input.size(); i > 0; --i) reversed.push_back(static_cast<std::int64_t>(i) - 1);
  if (keeps_order(input, context.ints_or("perm", reversed))) return;
  add_movement(context, kTranspose, elements_in(context), elements_out(context));
}

// Operators that leave the shape alone only when they do nothing.
template <Function function>
void lower_resizing(LoweringContext& context) {
  if (context.full_shape(0) == context.output_shape(0)) return;
  add_movement(context, function, std::min(elements_in(context), elements_out(context)),
               elements_out(context));
}

void lower_split(LoweringContext& context) {
  std::int64_t parts = 0;
  for (std::size_t i = 0; i < context.output_count(); ++i)
    parts += context.node().output(i) != kNoValue ? 1 : 0;
  if (parts <= 1) return;
  add_movement(context, kSplit, elements_in(context), elements_in(context));
}

// The result is as large as the input: a shuffle.
void lower_shuffle(LoweringContext& context) {
  add_movement(context, kTranspose, elements_out(context), elements_out(context));
}

// Chosen elements alone are read.
void lower_gather_elements(LoweringContext& context) {
  add_movement(context, kGather, elements_out(context), elements_out(context));
}

// Values that go to places in a larger result, which is cleared first.
void lower_spread(LoweringContext& context) {
  add_movement(context, kScatter, elements_in(context), elements_out(context));
}

// Blocks of channels innermost, or back: a shuffle. ReorderOutput drops the channels that fill the last
// block.
void infer_reorder(ShapeContext& context) {
  Shape output = context.shape(0, 4, 4);
  const bool channels_last = context.int_or("channels_last", 0) != 0;
  if (context.node().op == "ReorderInput") {
    if (channels_last) output = {output[0], output[3], output[1], output[2]};
  } else {
    output[1] = context.int_or("channels", output[1]);
    if (channels_last) output = {output[0], output[2], output[3], output[1]};
  }
  context.set_output(0, context.dtype(0), std::move(output));
}

// A copy of the data with the updates put in.
void lower_scatter(LoweringContext& context) {
  const std::size_t updates = context.node().op == "TensorScatter" ? 1 : 2;
  const std::int64_t changed = context.has_input(updates) ? element_count(context.full_shape(updates)) : 0;
  add_movement(context, kScatter, elements_in(context) + changed, elements_out(context) + changed);
}

void lower_fill(LoweringContext& context) { add_movement(context, kFill, 0, elements_out(context)); }

LayerWork data_movement_work(const Problem& problem) {
  LayerWork work = element_work(problem, {.flop_forward = 0,
                                          .flop_backward = 0,
                                          .read_forward = at(problem, kRead),
                                          .written_forward = at(problem, kWritten),
                                          .read_backward = at(problem, kWritten),
                                          .written_backward = at(problem, kRead)});
  if (problem.sizes[kFunction] == kFill) work.backward_data = {};
  return work;
}

}  // namespace

const LayerKind& data_movement_kind() {
  constexpr std::string_view kBlocked = "com.microsoft.nchwc";
  static const LayerKind kKind{
      .name = "data_movement",
      .summary = "transposition, padding, slicing, splitting, gathering, scattering, expansion, fill",
      .parameters = {{"elements_read", "element", 0, std::int64_t{1} << 28, Draw::log_uniform},
                     {"elements_written", "element", 1, std::int64_t{1} << 28, Draw::log_uniform},
                     {"function",
                      "choice",
                      0,
                      7,
                      Draw::choice,
                      {"transpose", "pad", "slice", "split", "gather", "scatter", "expand", "fill"}}},
      .operators = {{"Transpose", nullptr, lower_transpose},
                    {"Pad", nullptr, lower_resizing<kPad>},
                    {"Slice", nullptr, lower_resizing<kSlice>},
                    {"Split", nullptr, lower_split},
                    {"GatherElements", nullptr, lower_gather_elements},
                    {"GatherND", nullptr, lower_gather_elements},
                    {"Compress", nullptr, lower_gather_elements},
                    {"Scatter", nullptr, lower_scatter},
                    {"ScatterElements", nullptr, lower_scatter},
                    {"ScatterND", nullptr, lower_scatter},
                    {"TensorScatter", nullptr, lower_scatter},
                    {"Col2Im", nullptr, lower_spread},
                    {"MaxUnpool", nullptr, lower_spread},
                    {"ReorderInput", infer_reorder, lower_shuffle, kBlocked},
                    {"ReorderOutput", infer_reorder, lower_shuffle, kBlocked},
                    {"Tile", nullptr, lower_resizing<kExpand>},
                    {"Expand", nullptr, lower_resizing<kExpand>},
                    {"CenterCropPad", nullptr, lower_resizing<kSlice>},
                    {"DepthToSpace", nullptr, lower_shuffle},
                    {"SpaceToDepth", nullptr, lower_shuffle},
                    {"ReverseSequence", nullptr, lower_shuffle},
                    {"Trilu", nullptr, lower_shuffle},
                    {"ConstantOfShape", nullptr, lower_fill},
                    {"EyeLike", nullptr, lower_fill},
                    {"OneHot", nullptr, lower_fill},
                    {"Range", nullptr, lower_fill}},
      .work = data_movement_work};
  return kKind;
}

}  // namespace layersim
