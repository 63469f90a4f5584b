// Reductions: each of `rows` results is made of `cols` elements. Reads rows x cols elements, writes rows; no
// MACs. Scans and sorts belong here too: they write what they read or a part of it.

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include "layers/kinds.h"
#include "layers/lowering.h"
#include "layers/work.h"
#include "sim/graph/shape_rules/contents.h"

namespace layersim {
namespace {

enum ReduceSize : std::size_t { kRows, kCols, kFunction };
enum Function : std::int64_t { kSum, kExtreme, kArg, kScan, kSort };

std::int64_t quotient(std::int64_t elements, std::int64_t rows) { return rows == 0 ? 0 : elements / rows; }

void add_reduction(LoweringContext& context, Function function, std::int64_t rows, std::int64_t cols) {
  context.add(make_problem(reduce_kind(), context.dtype(0),
                           {{"rows", rows}, {"cols", cols}, {"function", function}}));
}

void lower_reduce(LoweringContext& context) {
  const std::int64_t in = element_count(context.full_shape(0));
  const std::int64_t rows = element_count(context.output_shape(0));
  if (in == rows) return;  // nothing but axes of size 1, or noop_with_empty_axes
  const std::string& op = context.node().op;
  Function function = kSum;
  if (op == "ReduceMax" || op == "ReduceMin") function = kExtreme;
  if (op.starts_with("Arg")) function = kArg;
  add_reduction(context, function, rows, quotient(in, rows));
}

// One row for each line along the axis.
void lower_along_axis(LoweringContext& context, Function function, std::int64_t axis) {
  const Shape& input = context.full_shape(0);
  const std::int64_t cols = input.empty() ? 1 : input[normalize_axis(axis, input.size())];
  add_reduction(context, function, quotient(element_count(input), cols), cols);
}

void lower_scan(LoweringContext& context) {
  lower_along_axis(context, kScan, single_int(context, 1).value_or(-1));
}

void lower_sort(LoweringContext& context) { lower_along_axis(context, kSort, context.int_or("axis", -1)); }

LayerWork reduce_work(const Problem& problem) {
  const double rows = at(problem, kRows);
  const double elements = rows * at(problem, kCols);
  const auto function = problem.sizes[kFunction];
  const bool full_output = function == kScan || function == kSort;
  const double out = full_output ? elements : rows;
  const double flop = function == kSort ? elements * std::log2(std::max(at(problem, kCols), 2.0)) : elements;
  LayerWork work = element_work(problem, {.flop_forward = flop,
                                          .flop_backward = elements,
                                          .read_forward = elements,
                                          .written_forward = out,
                                          .read_backward = out,
                                          .written_backward = elements});
  if (function == kArg) work.backward_data = {};
  if (function == kExtreme || function == kSort) work.kept_elements = out;  // indices
  return work;
}

std::vector<OperatorRule> reduce_operators() {
  std::vector<OperatorRule> operators;
  for (const std::string_view op :
       {"ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2",
        "ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare", "ArgMax", "ArgMin"}) {
    operators.push_back({op, nullptr, lower_reduce});
  }
  operators.push_back({"CumSum", nullptr, lower_scan});
  operators.push_back({"CumProd", nullptr, lower_scan});
  operators.push_back({"ReduceSumInteger", nullptr, lower_reduce, "com.microsoft"});
  operators.push_back({"TopK", nullptr, lower_sort});
  return operators;
}

}  // namespace

const LayerKind& reduce_kind() {
  static const LayerKind kKind{
      .name = "reduce",
      .summary = "reductions, index of the extreme, running sums, top k",
      .parameters = {{"rows", "row", 1, 16777216, Draw::log_uniform},
                     {"cols", "element", 1, 16777216, Draw::log_uniform},
                     {"function", "choice", 0, 4, Draw::choice, {"sum", "extreme", "arg", "scan", "sort"}}},
      .operators = reduce_operators(),
      .work = reduce_work};
  return kKind;
}

}  // namespace layersim
