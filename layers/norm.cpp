// Normalizations; see norm_work.cpp for what they cost.

#include <string>
#include <string_view>

#include "layers/kinds.h"
#include "layers/lowering.h"
#include "layers/norm.h"
#include "sim/core/error.h"

namespace layersim {
namespace {

constexpr std::string_view kMs = "com.microsoft";

struct Norm {
  NormFunction function = NormFunction::batch;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t channels = 0;
  std::size_t scale = 0;  // index of the input; 0: none
  std::size_t bias = 0;
  bool residual = false;
};

void add_norm(LoweringContext& context, const Norm& norm, const std::string& suffix = "") {
  const bool scale = norm.scale != 0 && context.has_input(norm.scale);
  Problem problem = make_problem(norm_kind(), context.dtype(0),
                                 {{"function", static_cast<std::int64_t>(norm.function)},
                                  {"rows", norm.rows},
                                  {"cols", norm.cols},
                                  {"channels", norm.channels},
                                  {"scale", scale ? 1 : 0},
                                  {"bias", norm.bias != 0 && context.has_input(norm.bias) ? 1 : 0},
                                  {"residual", norm.residual ? 1 : 0}});
  if (scale) problem.weight_dtype = context.weight_dtype(norm.scale);
  context.add(std::move(problem), suffix);
}

void infer_batch_norm(ShapeContext& context) {
  const Shape& input = context.shape(0, 2);
  const Shape& scale = context.shape(1);
  if (scale.size() == 1 && scale[0] >= 0 && input[1] >= 0 && scale[0] != input[1]) {
    throw bad_input("input has " + std::to_string(input[1]) + " channels (axis 1 of " + to_string(input) +
                    "), scale has " + std::to_string(scale[0]));
  }
  for (std::size_t i = 1; i < context.output_count(); ++i)
    context.set_output(i, context.dtype(0), {input[1]});
  same_as_first_input(context);
}

void lower_batch_norm(LoweringContext& context) {
  const Shape& input = context.full_shape(0, 2);
  const std::int64_t channels = input[1];
  add_norm(context, {NormFunction::batch, channels,
                     element_count({input[0], element_count(input, 2, input.size())}), channels, 1, 2});
}

void lower_instance_norm(LoweringContext& context) {
  const Shape& input = context.full_shape(0, 2);
  add_norm(context, {NormFunction::instance, element_count(input, 0, 2),
                     element_count(input, 2, input.size()), input[1], 1, 2});
}

// LayerNormalization, RMSNormalization and SimplifiedLayerNormalization: axis and all behind it are
// normalized.
void infer_layer_norm(ShapeContext& context) {
  const Shape& input = context.shape(0);
  const std::size_t axis = normalize_axis(context.int_or("axis", -1), input.size());
  Shape statistics = input;
  for (std::size_t i = axis; i < statistics.size(); ++i) statistics[i] = 1;
  context.set_output(1, DType::f32, statistics);
  context.set_output(2, DType::f32, std::move(statistics));
  same_as_first_input(context);
}

void lower_layer_norm(LoweringContext& context) {
  const Shape& input = context.full_shape(0);
  const std::size_t axis = normalize_axis(context.int_or("axis", -1), input.size());
  const std::int64_t cols = element_count(input, axis, input.size());
  const bool rms = context.node().op != "LayerNormalization";
  add_norm(context, {rms ? NormFunction::rms : NormFunction::layer, element_count(input, 0, axis), cols, cols,
                     1, rms ? std::size_t{0} : std::size_t{2}});
}

// Inputs: data, residual, scale, then shift (SkipLayerNormalization only), then a bias that is added before.
void infer_skip_norm(ShapeContext& context) {
  const Shape& input = context.shape(0, 1);
  Shape statistics = input;
  statistics.back() = 1;
  context.set_output(1, DType::f32, statistics);
  context.set_output(2, DType::f32, std::move(statistics));
  context.set_output(3, context.dtype(0), input);
  same_as_first_input(context);
}

void lower_skip_norm(LoweringContext& context) {
  const Shape& input = context.full_shape(0, 1);
  const bool rms = context.node().op == "SkipSimplifiedLayerNormalization";
  add_norm(context, {.function = rms ? NormFunction::rms : NormFunction::layer,
                     .rows = element_count(input, 0, input.size() - 1),
                     .cols = input.back(),
                     .channels = input.back(),
                     .scale = 2,
                     .bias = rms ? std::size_t{0} : std::size_t{3},
                     .residual = true});
}

// SkipGroupNorm also gives the sum that it normalizes.
void infer_group_norm(ShapeContext& context) {
  same_as_first_input(context);
  context.set_output(1, context.dtype(0), context.shape(0));
}

// GroupNormalization has its groups in num_groups, com.microsoft::GroupNorm (channels last by default) in
// groups.
void lower_group_norm(LoweringContext& context) {
  const Shape& input = context.full_shape(0, 2);
  const bool microsoft = context.node().domain == kMs;
  const bool channels_last = microsoft && context.int_or("channels_last", 1) != 0;
  const std::int64_t channels = channels_last ? input.back() : input[1];
  const std::int64_t groups = context.int_or(microsoft ? "groups" : "num_groups", 0);
  if (groups < 1 || channels % groups != 0) {
    throw bad_input(std::to_string(groups) + " groups do not divide " + std::to_string(channels) +
                    " channels");
  }
  const std::int64_t rows = element_count({input[0], groups});
  const std::int64_t elements = element_count(input);
  add_norm(context, {.function = NormFunction::group,
                     .rows = rows,
                     .cols = rows == 0 ? 0 : elements / rows,
                     .channels = channels,
                     .scale = 1,
                     .bias = 2,
                     .residual = context.node().op == "SkipGroupNorm"});
}

void lower_plain_norm(LoweringContext& context) {
  const Shape& input = context.full_shape(0);
  const std::int64_t elements = element_count(input);
  std::int64_t cols = 1;
  NormFunction function = NormFunction::lp;
  if (context.node().op == "LpNormalization") {
    cols = input.at(normalize_axis(context.int_or("axis", -1), input.size()));
  } else if (context.node().op == "LRN") {
    function = NormFunction::local_response;
    cols = context.shape(0, 2)[1];
  } else {
    function = NormFunction::mean_variance;
    Shape normalized;
    for (const std::int64_t axis : context.ints_or("axes", {0, 2, 3})) {
      normalized.push_back(input.at(normalize_axis(axis, input.size())));
    }
    cols = element_count(normalized);
  }
  add_norm(context, {function, cols == 0 ? 0 : elements / cols, cols});
}

}  // namespace

const LayerKind& norm_kind() {
  static const LayerKind kKind{
      .name = "norm",
      .summary =
          "normalization by statistics of the data: batch, instance, layer, group, root mean square, local "
          "response",
      .parameters = norm_parameters(),
      .operators = {{"BatchNormalization", infer_batch_norm, lower_batch_norm},
                    {"InstanceNormalization", same_as_first_input, lower_instance_norm},
                    {"LayerNormalization", infer_layer_norm, lower_layer_norm},
                    {"RMSNormalization", infer_layer_norm, lower_layer_norm},
                    {"SimplifiedLayerNormalization", infer_layer_norm, lower_layer_norm},
                    {"GroupNormalization", same_as_first_input, lower_group_norm},
                    {"LpNormalization", same_as_first_input, lower_plain_norm},
                    {"MeanVarianceNormalization", same_as_first_input, lower_plain_norm},
                    {"LRN", same_as_first_input, lower_plain_norm},
                    {"LayerNormalization", infer_layer_norm, lower_layer_norm, kMs},
                    {"SimplifiedLayerNormalization", infer_layer_norm, lower_layer_norm, kMs},
                    {"SkipLayerNormalization", infer_skip_norm, lower_skip_norm, kMs},
                    {"SkipSimplifiedLayerNormalization", infer_skip_norm, lower_skip_norm, kMs},
                    {"GroupNorm", infer_group_norm, lower_group_norm, kMs},
                    {"SkipGroupNorm", infer_group_norm, lower_group_norm, kMs}},
      .work = norm_work};
  return kKind;
}

}  // namespace layersim
