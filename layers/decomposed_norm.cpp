// A layer normalization that an export wrote as ReduceMean, Sub, Pow, ReduceMean, Add, Sqrt, Div: the pass
// group_layer_norm puts one operator in its place. It is a kind of its own since frameworks run it as one
// kernel or as many, depending on where the network came from; parameters and work are those of norm.

#include "layers/kinds.h"
#include "layers/lowering.h"
#include "layers/norm.h"
#include "sim/core/error.h"

namespace layersim {
namespace {

// Inputs: data, then scale and shift if any. Attributes: axes, the normalized ones; root_mean_square.
void lower_decomposed_norm(LoweringContext& context) {
  const Shape& input = context.full_shape(0);
  Shape normalized;
  for (const std::int64_t axis : context.ints_or("axes", {-1})) {
    normalized.push_back(input.at(normalize_axis(axis, input.size())));
  }
  const std::int64_t cols = element_count(normalized);
  const bool rms = context.int_or("root_mean_square", 0) != 0;
  Problem problem =
      make_problem(decomposed_norm_kind(), context.dtype(0),
                   {{"function", static_cast<std::int64_t>(rms ? NormFunction::rms : NormFunction::layer)},
                    {"rows", cols == 0 ? 0 : element_count(input) / cols},
                    {"cols", cols},
                    {"channels", cols},
                    {"scale", context.has_input(1) ? 1 : 0},
                    {"bias", context.has_input(2) ? 1 : 0}});
  problem.weight_dtype = context.weight_dtype(1);
  context.add(std::move(problem));
}

}  // namespace

const LayerKind& decomposed_norm_kind() {
  static const LayerKind kKind{
      .name = "decomposed_norm",
      .summary = "layer normalization that the file spells out in element-wise operators",
      .parameters = norm_parameters(),
      .operators = {{"DecomposedLayerNormalization", same_as_first_input, lower_decomposed_norm,
                     kFusedDomain}},
      .work = norm_work};
  return kKind;
}

}  // namespace layersim
