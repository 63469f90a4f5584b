#pragma once
// A layer is the atomic unit of timing. Its kind is one declaration that drives everything: the operators it
// covers with their shape rules, its parameters with units and sampling ranges, and the work (MACs, FLOP,
// bytes) of its passes. A Problem is a kind with numbers: a layer of a network, a row of the benchmark store
// and a problem of the sampler are all Problems, so that one set of features serves them all.

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/dtype.h"
#include "sim/graph/shape_rule.h"

namespace layersim {

struct LayerKind;

// An activation that runs within another layer.
enum class Activation : unsigned char {
  none,
  relu,
  sigmoid,
  tanh,
  softmax,
  gelu,
  silu,
  leaky_relu,
  elu,
  hard_sigmoid,
  hard_swish,
  mish,
  other,
};
[[nodiscard]] std::string_view name(Activation activation);
[[nodiscard]] std::optional<Activation> parse_activation(std::string_view name);
// The activation that an operator of that name computes ("Relu", "HardSwish"), whatever its domain; nothing
// for others.
[[nodiscard]] std::optional<Activation> activation_of_operator(std::string_view op);
// Floating-point operations per element, one for each add, multiply, compare and transcendental function.
[[nodiscard]] double flop_per_element(Activation activation);

// How the sampler draws a parameter. `low` and `high` are inclusive. A `derived` parameter follows from the
// others, see LayerKind::derive.
enum class Draw : unsigned char { fixed, uniform, log_uniform, choice, derived };

// One number of a problem. Names carry no unit when they count something (channels, elements); see `unit`.
struct Parameter {
  std::string_view name;  // snake_case; also the column in the store
  std::string_view unit;  // "1" for counts, "element", "flag", "choice" ...
  std::int64_t low = 1;
  std::int64_t high = 1;
  Draw draw = Draw::fixed;
  std::vector<std::string_view> choices{};  // for unit "choice": the names of the values 0, 1, 2 ...
};

struct Problem {
  const LayerKind* kind = nullptr;
  std::vector<std::int64_t> sizes;  // parallel to kind->parameters
  DType dtype = DType::f32;         // of activations, as the file says; see also precision
  DType weight_dtype = DType::f32;
  Activation activation = Activation::none;

  // The parameter of that name; throws internal when the kind has none.
  [[nodiscard]] std::int64_t size(std::string_view parameter) const;
};

struct NamedSize {
  std::string_view parameter;
  std::int64_t size;
};
// A problem with the sizes given; a parameter that is not given has its lowest value. Throws internal for a
// name that the kind does not have. Fastest when the names come in the order of the kind's parameters.
[[nodiscard]] Problem make_problem(const LayerKind& kind, DType dtype,
                                   std::initializer_list<NamedSize> sizes);

// Work of one pass over a layer. Bytes count each operand once, at its own data type.
struct PassWork {
  double macs = 0;        // multiply-accumulates of matrix products and convolutions alone
  double flop = 0;        // all arithmetic: 2 x macs and the element-wise part
  double bytes_read = 0;  // activations and weights
  double bytes_written = 0;
  int kernels = 0;  // launches that a framework needs at the least

  [[nodiscard]] double bytes() const { return bytes_read + bytes_written; }
};

struct LayerWork {
  PassWork forward;
  PassWork backward_data;      // gradient of the input
  PassWork backward_weight;    // gradient of the weights
  double weight_elements = 0;  // all weights read in the forward pass, learned or not
  double kept_elements = 0;   // what the backward pass needs beyond inputs and output (masks, indices, gates)
  bool keeps_input = false;   // the backward pass needs the inputs (convolution, dense, normalization)
  bool keeps_output = false;  // the backward pass needs the output itself (ReLU, softmax)
};

// A node that is lowered to layers. Lowering runs after shapes are known; a rule calls `add` once or more (an
// operator can stand for several layers), or `unmodelled` with the reason.
class LoweringContext;
using LoweringFunction = void (*)(LoweringContext&);

struct OperatorRule {
  std::string_view op;
  ShapeRuleFunction infer;
  LoweringFunction lower;
  std::string_view domain = "";
};

struct LayerKind {
  std::string_view name;     // as in reports and in the store: "conv"
  std::string_view summary;  // one line for the documentation
  std::vector<Parameter> parameters;
  std::vector<OperatorRule> operators;
  LayerWork (*work)(const Problem&) = nullptr;
  // Sets the parameters with Draw::derived; throws bad_input when the others contradict each other. nullptr:
  // none are.
  void (*derive)(Problem&) = nullptr;
  bool fuses_activation = false;  // frameworks' benchmarks time a following activation within this layer
};

// All kinds, in the order of the list in layers/CMakeLists.txt.
[[nodiscard]] std::span<const LayerKind* const> layer_kinds();
// nullptr when there is none of that name.
[[nodiscard]] const LayerKind* find_layer_kind(std::string_view name);
// nullptr when no kind covers the operator.
[[nodiscard]] const OperatorRule* find_operator(std::string_view domain, std::string_view op);
// The kind in whose list the operator stands; nullptr when there is none.
[[nodiscard]] const LayerKind* find_operator_kind(std::string_view domain, std::string_view op);

}  // namespace layersim
