// Element-wise operators other than activations: arithmetic, comparison, selection, casts, quantization,
// dropout. Reads `operand_elements` in all (operands that are broadcast count at their own size), writes
// `elements`; no MACs.

#include <array>
#include <string_view>
#include <unordered_map>

#include "layers/kinds.h"
#include "layers/lowering.h"
#include "layers/work.h"
#include "sim/core/checked.h"

namespace layersim {
namespace {

enum ElementwiseSize : std::size_t {
  kElements,
  kOperandElements,
  kOperands,
  kFunction,
  kOutputBits,
  kWeights
};
enum Function : std::int64_t {
  kAdd,
  kMul,
  kDiv,
  kPow,
  kTranscendental,
  kCompare,
  kSelect,
  kCast,
  kDropout,
  kRotary
};

struct FunctionFacts {
  double flop_forward;  // per element of the output
  double flop_backward;
  bool keeps_input;  // else the gradient needs no activation
  bool differentiable;
};
// In the order of the enumeration. A sum passes its gradient on, a product multiplies it by the other
// operand.
constexpr std::array kFunctions{FunctionFacts{1, 0, false, true}, FunctionFacts{1, 2, true, true},
                                FunctionFacts{1, 4, true, true},  FunctionFacts{4, 8, true, true},
                                FunctionFacts{3, 4, true, true},  FunctionFacts{1, 0, false, false},
                                FunctionFacts{1, 2, false, true}, FunctionFacts{1, 1, false, true},
                                FunctionFacts{2, 2, false, true}, FunctionFacts{6, 6, false, true}};

const std::unordered_map<std::string_view, Function>& functions_by_operator() {
  static const std::unordered_map<std::string_view, Function> kFunctionsByOperator{
      {"Add", kAdd},
      {"Sub", kAdd},
      {"Sum", kAdd},
      {"Neg", kAdd},
      {"Abs", kAdd},
      {"Max", kAdd},
      {"Min", kAdd},
      {"Mean", kAdd},
      {"Sign", kCompare},
      {"Mul", kMul},
      {"Div", kDiv},
      {"Mod", kDiv},
      {"Reciprocal", kDiv},
      {"Pow", kPow},
      {"Exp", kTranscendental},
      {"Log", kTranscendental},
      {"Sqrt", kTranscendental},
      {"Sin", kTranscendental},
      {"Cos", kTranscendental},
      {"Tan", kTranscendental},
      {"Asin", kTranscendental},
      {"Acos", kTranscendental},
      {"Atan", kTranscendental},
      {"Sinh", kTranscendental},
      {"Cosh", kTranscendental},
      {"Asinh", kTranscendental},
      {"Acosh", kTranscendental},
      {"Atanh", kTranscendental},
      {"Erf", kTranscendental},
      {"Equal", kCompare},
      {"Less", kCompare},
      {"LessOrEqual", kCompare},
      {"Greater", kCompare},
      {"GreaterOrEqual", kCompare},
      {"Not", kCompare},
      {"And", kCompare},
      {"Or", kCompare},
      {"Xor", kCompare},
      {"IsNaN", kCompare},
      {"IsInf", kCompare},
      {"BitwiseAnd", kCompare},
      {"BitwiseOr", kCompare},
      {"BitwiseXor", kCompare},
      {"BitwiseNot", kCompare},
      {"BitShift", kCompare},
      {"Floor", kCompare},
      {"Ceil", kCompare},
      {"Round", kCompare},

      {"Where", kSelect},
      {"Cast", kCast},
      {"CastLike", kCast},
      {"QuantizeLinear", kCast},
      {"DequantizeLinear", kCast},
      {"DynamicQuantizeLinear", kCast},
      {"Dropout", kDropout},
      {"Bernoulli", kTranscendental},
      {"RandomNormalLike", kTranscendental},
      {"RandomUniformLike", kTranscendental},
      {"RandomNormal", kTranscendental},
      {"RandomUniform", kTranscendental},
      {"QLinearAdd", kAdd},
      {"QLinearMul", kMul},
      {"BiasAdd", kAdd},
      {"BiasDropout", kDropout},
      {"BitmaskDropout", kDropout},
      {"RotaryEmbedding", kRotary}};
  return kFunctionsByOperator;
}

// Index of the inputs that are operands; scales, zero points, seeds and bounds are numbers on the side.
bool is_operand(std::string_view op, std::size_t index) {
  if (op == "QLinearAdd" || op == "QLinearMul") return index == 0 || index == 3;
  if (op == "Dropout" || op == "BitmaskDropout" || op == "Cast" || op == "CastLike" ||
      op == "QuantizeLinear" || op == "DequantizeLinear" || op == "DynamicQuantizeLinear") {
    return index == 0;
  }
  return true;
}

void lower_elementwise(LoweringContext& context) {
  const Function function = functions_by_operator().at(context.node().op);
  if ((function == kCast && context.dtype(0) == context.output_dtype(0))) return;
  std::int64_t operand_elements = 0;
  std::int64_t operands = 0;
  std::int64_t weights = 0;
  for (std::size_t i = 0; i < context.input_count(); ++i) {
    if (!context.has_input(i) || !is_operand(context.node().op, i)) continue;
    const std::int64_t elements = element_count(context.full_shape(i));
    operand_elements = checked_add(operand_elements, elements);
    ++operands;
    const bool learned = context.graph().value(context.node().input(i)).origin == Origin::weight;
    if (learned && !context.shape(i).empty() && is_float(context.dtype(i)))
      weights = checked_add(weights, elements);
  }
  Problem problem =
      make_problem(elementwise_kind(), context.has_input(0) ? context.dtype(0) : context.output_dtype(0),
                   {{"elements", element_count(context.output_shape(0))},
                    {"operand_elements", operand_elements},
                    {"operands", operands},
                    {"function", function},
                    {"output_bits", bits(context.output_dtype(0))},
                    {"weights", weights}});
  // The condition of Where is a flag; the data are behind it.
  if (context.node().op == "Where") problem.dtype = context.dtype(1);
  context.add(std::move(problem));
}

LayerWork elementwise_work(const Problem& problem) {
  const double elements = at(problem, kElements);
  const double operands = at(problem, kOperandElements);
  const FunctionFacts& facts = kFunctions.at(static_cast<std::size_t>(problem.sizes[kFunction]));
  const double element = bytes(problem.dtype);
  LayerWork work;
  work.weight_elements = at(problem, kWeights);
  work.keeps_input = facts.keeps_input;
  PassWork forward{0, facts.flop_forward * elements, operands * element,
                   elements * at(problem, kOutputBits) / 8, 1};
  // Operands that are broadcast have their gradient summed; a sum of equal shapes only passes its gradient
  // on.
  const bool passes_on = facts.flop_backward == 0 && operands >= at(problem, kOperands) * elements;
  PassWork backward{0, facts.flop_backward * elements,
                    (elements + (facts.keeps_input ? operands : 0)) * element,
                    (operands - work.weight_elements) * element, 1};
  if (!facts.differentiable || passes_on) backward = {};
  if (problem.sizes[kFunction] == kDropout) {
    // Dropout does nothing in a forward pass for inference. In training it draws a mask (one byte an element)
    // and multiplies by it, forward and backward; both stand in the backward pass.
    forward = {};
    backward = {0, 4 * elements, 2 * elements * element + elements, 2 * elements * element + elements, 2};
    work.kept_elements = elements / bytes(problem.dtype);
  }
  work.forward = forward;
  work.backward_data = backward;
  if (work.weight_elements > 0) {
    work.backward_weight = {0, elements, elements * element, work.weight_elements * element, 1};
  }
  return work;
}

std::vector<OperatorRule> elementwise_operators() {
  constexpr std::string_view kMs = "com.microsoft";
  std::vector<OperatorRule> operators;
  for (const auto& [op, function] : functions_by_operator()) {
    const bool microsoft = op.starts_with("QLinear") || op.starts_with("Bias") || op == "BitmaskDropout";
    operators.push_back({op, nullptr, lower_elementwise, microsoft ? kMs : ""});
  }
  operators.push_back({"RotaryEmbedding", same_as_first_input, lower_elementwise, kMs});
  operators.push_back({"QuantizeLinear", nullptr, lower_elementwise, kMs});
  operators.push_back({"DequantizeLinear", nullptr, lower_elementwise, kMs});
  return operators;
}

}  // namespace

const LayerKind& elementwise_kind() {
  static const LayerKind kKind{
      .name = "elementwise",
      .summary = "element-wise arithmetic, comparison, selection, cast, quantization, dropout",
      .parameters = {{"elements", "element", 1, std::int64_t{1} << 28, Draw::log_uniform},
                     {"operand_elements", "element", 1, std::int64_t{1} << 30, Draw::log_uniform},
                     {"operands", "operand", 1, 2, Draw::uniform},
                     {"function",
                      "choice",
                      0,
                      9,
                      Draw::choice,
                      {"add", "mul", "div", "pow", "transcendental", "compare", "select", "cast", "dropout",
                       "rotary"}},
                     {"output_bits", "bit", 32, 32, Draw::fixed},
                     {"weights", "element", 0, 0, Draw::fixed}},
      .operators = elementwise_operators(),
      .work = elementwise_work};
  return kKind;
}

}  // namespace layersim
