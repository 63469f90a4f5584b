// Element-wise operators and activations: memory traffic, a launch, and for some functions arithmetic.

#include <algorithm>
#include <array>
#include <bit>

#include "sim/features/families/make_family.h"
#include "sim/features/families/problem_sizes.h"

namespace layersim {
namespace {

constexpr std::array<std::string_view, 3> kTerms{"launch", "memory", "arithmetic"};
constexpr int kFunctions = 8;  // of the kind's choices those that published rows tell apart: add ... cast
constexpr int kAllFunctions = 10;

struct ElementwiseSizes {
  explicit ElementwiseSizes(const Problem& problem);

  std::int64_t elements = 0;
  std::int64_t operands = 1;
  std::int64_t function = -1;  // of the kind elementwise
  bool scalar_operand = false;
};

ElementwiseSizes::ElementwiseSizes(const Problem& problem) {
  struct Places {
    ParameterPlace elements{"elementwise", "elements"}, operand_elements{"elementwise", "operand_elements"},
        operands{"elementwise", "operands"}, function{"elementwise", "function"},
        activation_elements{"activation", "elements"};
  };
  static const Places kPlaces;
  static const LayerKind* const kElementwise = find_layer_kind("elementwise");
  if (problem.kind != kElementwise) {
    elements = kPlaces.activation_elements.of(problem);
    return;
  }
  elements = kPlaces.elements.of(problem);
  operands = kPlaces.operands.of(problem);
  function = kPlaces.function.of(problem);
  scalar_operand = operands > 1 && kPlaces.operand_elements.of(problem) <= elements + 1;
}

template <typename Sink>
void write_features(Sink& sink, const FeatureQuery& query, const DeviceNumbers& device, float* log_terms) {
  const ElementwiseSizes s(*query.layer.problem);
  const PassWork& work = query.layer.work->forward;
  const double memory_ms = work.bytes() / device.bytes_per_ms;
  const double arithmetic_ms = 10 * static_cast<double>(s.elements) / device.vector_flop_per_ms;
  const std::array<double, kTerms.size()> terms{0.02, memory_ms, arithmetic_ms};
  const double roofline_ms = write_log_terms(terms, log_terms);

  sink.add("log_elements", "element", safe_log(static_cast<double>(s.elements)));
  sink.add("log_memory_time", "ms", safe_log(memory_ms));
  sink.add("log_arithmetic_time", "ms", safe_log(arithmetic_ms));
  sink.add("log_roofline_time", "ms", safe_log(roofline_ms));
  sink.add("log_bytes_per_element", "byte",
           safe_log(work.bytes() / static_cast<double>(std::max<std::int64_t>(s.elements, 1))));
  for (int function = 0; function < kFunctions; ++function) {
    sink.add("function_", function, "flag", flag(s.function == function));
  }
  for (const Activation activation :
       {Activation::relu, Activation::sigmoid, Activation::tanh, Activation::gelu}) {
    sink.add(name(activation), "flag", flag(query.layer.problem->activation == activation));
  }
  sink.add("operands", "1", static_cast<float>(s.operands));
  sink.add("scalar_operand", "flag", flag(s.scalar_operand));
  for (const int t : {512, 1024, 2048}) {
    const std::int64_t blocks = tiles(s.elements, t);
    sink.add("wave_fill_", t, "1", occupancy(blocks, device.multiprocessor_count));
    sink.add("log_waves_", t, "1",
             limited(safe_log(static_cast<double>(blocks) / device.multiprocessors), -6, 10));
  }
  sink.add("elements_divisible_by_4", "flag", flag(s.elements % 4 == 0));
  sink.add("log_bytes_to_l2", "1", limited(safe_log(work.bytes() / device.l2_bytes), -6, 6));
  write_pass(sink, query.pass);
  for (int function = kFunctions; function < kAllFunctions; ++function) {
    sink.add("function_", function, "flag", flag(s.function == function));
  }
  for (const Activation activation : {Activation::silu, Activation::leaky_relu, Activation::elu,
                                      Activation::hard_sigmoid, Activation::hard_swish, Activation::mish}) {
    sink.add(name(activation), "flag", flag(query.layer.problem->activation == activation));
  }
}

bool covers(const Problem& problem) {
  static const LayerKind* const kElementwise = find_layer_kind("elementwise");
  static const LayerKind* const kActivation = find_layer_kind("activation");
  return problem.kind == kElementwise || problem.kind == kActivation;
}

}  // namespace

const FeatureFamily& feature_family_elementwise() {
  static const FeatureFamily kFamily = make_family("elementwise", "elementwise", kTerms, covers,
                                                   [](auto&&... args) { write_features(args...); });
  return kFamily;
}

}  // namespace layersim
