// Operators that were timed one by one within a traced network: shapes instead of sizes, and the times of the
// two ways in columns of their own.

#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "sim/core/error.h"
#include "sim/core/shape.h"
#include "trainers/row_conversion.h"

namespace layersim {
namespace {

// "8x512x1024;1x512x1024" -> shapes. An empty text: none.
std::vector<Shape> parse_shapes(std::string_view column, std::string_view text) {
  std::vector<Shape> shapes;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    if (shapes.empty() || *at == ';') {
      if (!shapes.empty()) ++at;
      shapes.emplace_back();
    } else if (*at == 'x') {
      ++at;
    }
    std::int64_t size = 0;
    const auto [next, error] = std::from_chars(at, end, size);
    if (error != std::errc{} || size < 1 || (next != end && *next != 'x' && *next != ';')) {
      throw bad_input("column '" + std::string(column) + "': '" + std::string(text.substr(0, 60)) +
                      "' is not of the form 8x512;1x512");
    }
    shapes.back().push_back(size);
    at = next;
  }
  return shapes;
}

struct Op {
  std::string_view name;
  std::string_view kind;
  std::int64_t function = 0;  // choice of the kind's parameter `function`
};
constexpr std::array kOps{
    Op{"linear", "dense"},           Op{"addmm", "dense"},
    Op{"matmul", "matmul"},          Op{"bmm", "matmul"},
    Op{"add", "elementwise", 0},     Op{"sub", "elementwise", 0},
    Op{"mul", "elementwise", 1},     Op{"div", "elementwise", 2},
    Op{"pow", "elementwise", 3},     Op{"where", "elementwise", 6},
    Op{"dropout", "elementwise", 8}, Op{"gelu", "activation"},
    Op{"relu", "activation"},        Op{"tanh", "activation"},
    Op{"sigmoid", "activation"},     Op{"silu", "activation"},
    Op{"softmax", "softmax"},        Op{"layernorm", "norm", 2},
    Op{"embedding", "embedding"},    Op{"contiguous", "data_movement"},
};

const Op* find_op(std::string_view name) {
  for (const Op& op : kOps) {
    if (op.name == name) return &op;
  }
  return nullptr;
}

Problem product_problem(const RowReader& reader, std::size_t row, const LayerKind& kind, const Op& op) {
  const std::int64_t m = reader.count("m", row);
  const std::int64_t n = reader.count("n", row);
  const std::int64_t k = reader.count("k", row);
  const std::int64_t batch = reader.count_or("gemm_batch", row, 1);
  if (op.kind == "dense") {
    return make_problem(kind, DType::f32,
                        {{"rows", batch * m}, {"in_features", k}, {"out_features", n}, {"bias", 1}});
  }
  return make_problem(
      kind, DType::f32,
      {{"batch", batch}, {"m", m}, {"n", n}, {"k", k}, {"matrices_a", batch}, {"matrices_b", batch}});
}

Problem elementwise_problem(const LayerKind& kind, const Op& op, const std::vector<Shape>& inputs,
                            std::int64_t elements) {
  std::int64_t operand_elements = 0;
  for (const Shape& input : inputs) operand_elements += element_count(input);
  auto operands = static_cast<std::int64_t>(inputs.size());
  // A number beside the tensor may stand in the row or not.
  if (operands == 1 && op.name != "dropout") {
    ++operands;
    ++operand_elements;
  }
  return make_problem(kind, DType::f32,
                      {{"elements", elements},
                       {"operand_elements", operand_elements},
                       {"operands", operands},
                       {"function", op.function},
                       {"output_bits", 32}});
}

Problem problem_of(const RowReader& reader, std::size_t row, const Op& op) {
  const LayerKind& kind = *find_layer_kind(op.kind);
  if (op.kind == "dense" || op.kind == "matmul") return product_problem(reader, row, kind, op);
  const auto inputs = parse_shapes("input_shapes", reader.text("input_shapes", row));
  const auto outputs = parse_shapes("output_shape", reader.text("output_shape", row));
  if (inputs.empty() || outputs.empty())
    throw bad_input("columns 'input_shapes' and 'output_shape': one is empty");
  const Shape& output = outputs.front();
  const std::int64_t elements = element_count(output);
  const std::int64_t cols = output.back();
  if (op.kind == "elementwise") return elementwise_problem(kind, op, inputs, elements);
  if (op.kind == "activation") {
    Problem problem = make_problem(kind, DType::f32, {{"elements", elements}});
    problem.activation = *parse_activation(op.name);
    return problem;
  }
  if (op.kind == "softmax")
    return make_problem(kind, DType::f32, {{"rows", elements / cols}, {"cols", cols}});
  if (op.kind == "norm") {
    return make_problem(kind, DType::f32,
                        {{"function", op.function},
                         {"rows", elements / cols},
                         {"cols", cols},
                         {"channels", cols},
                         {"scale", 1},
                         {"bias", 1}});
  }
  if (op.kind == "embedding") {
    return make_problem(kind, DType::f32, {{"lookups", elements / cols}, {"width", cols}});
  }
  return make_problem(kind, DType::f32, {{"elements_read", elements}, {"elements_written", elements}});
}

}  // namespace

std::string convert_network_op(const RowReader& reader, std::size_t row, Sample& sample) {
  const std::string_view name = reader.text("op", row);
  const Op* op = find_op(name);
  const std::string what = "operator '" + std::string(name) + "'";
  if (op == nullptr) return what + " has no layer kind here";
  if (sample.pass != Pass::forward && sample.pass != Pass::training) {
    throw bad_input("column 'mode': '" + std::string(reader.text("mode", row)) +
                    "' is neither forward nor training");
  }
  sample.time_ms = reader.number_or("forward_ms", row, 0);
  if (sample.pass == Pass::training) {
    const double backward_ms = reader.number_or("backward_ms", row, std::nan(""));
    if (std::isnan(backward_ms)) return what + " without backward_ms";
    if (op->kind == "embedding") return what + " in training: the size of its table is not told";
    sample.has_gradient = backward_ms > 0;
    sample.time_ms += backward_ms + reader.number_or("accumulate_ms", row, 0);
  }
  sample.problem = problem_of(reader, row, *op);
  sample.network = reader.text("model", row);
  return {};
}

}  // namespace layersim
