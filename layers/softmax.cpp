// Softmax and what is built on it: `rows` distributions over `cols` elements. Maximum, subtraction,
// exponential, sum and division are 5 operations per element; reads and writes rows x cols elements; no MACs.

#include <string_view>

#include "layers/kinds.h"
#include "layers/lowering.h"
#include "layers/work.h"

namespace layersim {
namespace {

enum SoftmaxSize : std::size_t { kRows, kCols, kFunction };
enum Function : std::int64_t { kSoftmax, kLogSoftmax, kHardmax, kLoss };

// Before opset 13 all axes from `axis` (default 1) on form one row, from then on `axis` (default the last)
// alone.
void lower_softmax(LoweringContext& context) {
  const Shape& input = context.full_shape(0);
  const Node& node = context.node();
  const bool flattens = node.domain.empty() && node.opset < 13;
  const std::int64_t elements = element_count(input);
  std::int64_t cols = elements;
  if (!input.empty()) {
    const std::size_t axis =
        normalize_axis(context.int_or("axis", flattens ? 1 : -1), input.size() + (flattens ? 1 : 0));
    cols = flattens ? element_count(input, axis, input.size()) : input[axis];
  }
  Function function = kSoftmax;
  if (node.op == "LogSoftmax") function = kLogSoftmax;
  if (node.op == "Hardmax") function = kHardmax;
  context.add(
      make_problem(softmax_kind(), context.dtype(0),
                   {{"rows", cols == 0 ? 0 : elements / cols}, {"cols", cols}, {"function", function}}));
}

// Scores [N, classes, ...], labels [N, ...]; the loss is a number, or one for each label.
void infer_loss(ShapeContext& context) {
  context.set_output(0, context.dtype(0),
                     context.text_or("reduction", "mean") == "none" ? context.shape(1) : Shape{});
  context.set_output(1, context.dtype(0), context.shape(0));
}

void lower_loss(LoweringContext& context) {
  const std::int64_t elements = element_count(context.full_shape(0));
  const std::int64_t labels = element_count(context.full_shape(1));
  context.add(
      make_problem(softmax_kind(), context.dtype(0),
                   {{"rows", labels}, {"cols", labels == 0 ? 0 : elements / labels}, {"function", kLoss}}));
}

LayerWork softmax_work(const Problem& problem) {
  const double elements = at(problem, kRows) * at(problem, kCols);
  const bool loss = problem.sizes[kFunction] == kLoss;
  LayerWork work = element_work(problem, {.flop_forward = 5 * elements,
                                          .flop_backward = 4 * elements,
                                          .read_forward = elements,
                                          .written_forward = elements,
                                          .read_backward = loss ? elements : 2 * elements,
                                          .written_backward = elements});
  work.keeps_output = !loss;
  work.kept_elements = loss ? elements : 0;
  if (problem.sizes[kFunction] == kHardmax) work.backward_data = {};
  return work;
}

}  // namespace

const LayerKind& softmax_kind() {
  constexpr std::string_view kMs = "com.microsoft";
  static const LayerKind kKind{
      .name = "softmax",
      .summary = "softmax, its logarithm, hardmax and the losses built on it",
      .parameters =
          {{"rows", "row", 1, 1048576, Draw::log_uniform},
           {"cols", "element", 1, 65536, Draw::log_uniform},
           {"function", "choice", 0, 3, Draw::choice, {"softmax", "log_softmax", "hardmax", "loss"}}},
      .operators = {{"Softmax", same_as_first_input, lower_softmax},
                    {"LogSoftmax", same_as_first_input, lower_softmax},
                    {"Hardmax", nullptr, lower_softmax},
                    {"SoftmaxCrossEntropyLoss", infer_loss, lower_loss},
                    {"NegativeLogLikelihoodLoss", infer_loss, lower_loss},
                    {"BiasSoftmax", same_as_first_input, lower_softmax, kMs},
                    {"QLinearSoftmax", nullptr, lower_softmax, kMs}},
      .work = softmax_work};
  return kKind;
}

}  // namespace layersim
