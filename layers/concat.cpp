// Concatenation: copies all its operands, `elements` in sum, into one tensor. Backward copies the slices
// back.

#include <string_view>

#include "layers/kinds.h"
#include "layers/lowering.h"
#include "layers/work.h"

namespace layersim {
namespace {

enum ConcatSize : std::size_t { kElements, kOperands };

void lower_concat(LoweringContext& context) {
  // QLinearConcat: scale and zero point of the output, then three inputs for each operand.
  const bool quantized = context.node().op == "QLinearConcat";
  const auto inputs = static_cast<std::int64_t>(context.input_count());
  context.add(make_problem(concat_kind(), context.output_dtype(0),
                           {{"elements", element_count(context.output_shape(0))},
                            {"operands", quantized ? (inputs - 2) / 3 : inputs}}));
}

LayerWork concat_work(const Problem& problem) {
  const double elements = at(problem, kElements);
  LayerWork work = element_work(problem, {.flop_forward = 0,
                                          .flop_backward = 0,
                                          .read_forward = elements,
                                          .written_forward = elements,
                                          .read_backward = elements,
                                          .written_backward = elements});
  work.backward_data.kernels = static_cast<int>(problem.sizes[kOperands]);
  return work;
}

}  // namespace

const LayerKind& concat_kind() {
  static const LayerKind kKind{
      .name = "concat",
      .summary = "concatenation of tensors along an axis",
      .parameters = {{"elements", "element", 1, std::int64_t{1} << 28, Draw::log_uniform},
                     {"operands", "operand", 1, 8, Draw::uniform}},
      .operators = {{"Concat", nullptr, lower_concat},
                    {"ConcatFromSequence", nullptr, lower_concat},
                    {"QLinearConcat", nullptr, lower_concat, "com.microsoft"}},
      .work = concat_work};
  return kKind;
}

}  // namespace layersim
