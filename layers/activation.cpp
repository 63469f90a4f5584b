// Activation function of its own, not fused into the layer before: reads and writes `elements`, no MACs.
// Learned numbers are the slopes of PRelu and the bias of BiasGelu.

#include <string_view>

#include "layers/kinds.h"
#include "layers/lowering.h"
#include "layers/work.h"

namespace layersim {
namespace {

enum ActivationSize : std::size_t { kElements, kWeights };

void lower_activation(LoweringContext& context) {
  const bool weighted =
      context.is_weight(1) && (context.node().op == "PRelu" || context.node().op == "BiasGelu" ||
                               context.node().op == "BiasSplitGelu" || context.node().op == "FastGelu");
  Problem problem = make_problem(activation_kind(), context.dtype(0),
                                 {{"elements", element_count(context.output_shape(0))},
                                  {"weights", weighted ? element_count(context.full_shape(1)) : 0}});
  problem.activation = activation_of_operator(context.node().op).value_or(Activation::other);
  if (weighted) problem.weight_dtype = context.weight_dtype(1);
  context.add(std::move(problem));
}

// com.microsoft::BiasSplitGelu: one half of the last axis times GELU of the other.
void infer_split_gelu(ShapeContext& context) {
  Shape output = context.shape(0, 1);
  if (output.back() > 0) output.back() /= 2;
  context.set_output(0, context.dtype(0), std::move(output));
}

LayerWork activation_work(const Problem& problem) {
  const double elements = at(problem, kElements);
  const double flop = flop_per_element(problem.activation) * elements;
  LayerWork work = element_work(problem, {.flop_forward = flop,
                                          .flop_backward = flop,
                                          .read_forward = elements,
                                          .written_forward = elements,
                                          .read_backward = 2 * elements,
                                          .written_backward = elements});
  work.weight_elements = at(problem, kWeights);
  work.forward.bytes_read += work.weight_elements * bytes(problem.weight_dtype);
  if (work.weight_elements > 0) {
    work.backward_weight.flop = 2 * elements;
    work.backward_weight.bytes_written = work.weight_elements * bytes(problem.weight_dtype);
  }
  // The derivative follows from the output for these; the others need their input.
  switch (problem.activation) {
    case Activation::relu:
    case Activation::sigmoid:
    case Activation::tanh:
    case Activation::leaky_relu:
    case Activation::elu:
      work.keeps_output = true;
      break;
    default:
      work.keeps_input = true;
  }
  return work;
}

}  // namespace

const LayerKind& activation_kind() {
  constexpr std::string_view kMs = "com.microsoft";
  static const LayerKind kKind{
      .name = "activation",
      .summary = "activation function that is not fused into the layer before",
      .parameters = {{"elements", "element", 1, std::int64_t{1} << 28, Draw::log_uniform},
                     {"weights", "element", 0, 0, Draw::fixed}},
      .operators = {{"Relu", nullptr, lower_activation},
                    {"Clip", nullptr, lower_activation},
                    {"Sigmoid", nullptr, lower_activation},
                    {"Tanh", nullptr, lower_activation},
                    {"Gelu", nullptr, lower_activation},
                    {"Swish", nullptr, lower_activation},
                    {"LeakyRelu", nullptr, lower_activation},
                    {"PRelu", nullptr, lower_activation},
                    {"Elu", nullptr, lower_activation},
                    {"Selu", nullptr, lower_activation},
                    {"Celu", nullptr, lower_activation},
                    {"HardSigmoid", nullptr, lower_activation},
                    {"HardSwish", nullptr, lower_activation},
                    {"Mish", nullptr, lower_activation},
                    {"Softplus", nullptr, lower_activation},
                    {"Softsign", nullptr, lower_activation},
                    {"ThresholdedRelu", nullptr, lower_activation},
                    {"Shrink", nullptr, lower_activation},
                    {"Silu", same_as_first_input, lower_activation, kFusedDomain},
                    {"Gelu", same_as_first_input, lower_activation, kFusedDomain},
                    {"HardSwish", same_as_first_input, lower_activation, kFusedDomain},
                    {"Mish", same_as_first_input, lower_activation, kFusedDomain},
                    {"Gelu", nullptr, lower_activation, kMs},
                    {"BiasSplitGelu", infer_split_gelu, lower_activation, kMs},
                    {"FastGelu", nullptr, lower_activation, kMs},
                    {"BiasGelu", nullptr, lower_activation, kMs},
                    {"QuickGelu", nullptr, lower_activation, kMs},
                    {"QLinearSigmoid", nullptr, lower_activation, kMs},
                    {"QLinearLeakyRelu", nullptr, lower_activation, kMs}},
      .work = activation_work};
  return kKind;
}

}  // namespace layersim
