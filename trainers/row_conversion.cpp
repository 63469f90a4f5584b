#include "trainers/row_conversion.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "sim/core/error.h"

namespace layersim {
namespace {

const LayerKind& kind(std::string_view name) { return *find_layer_kind(name); }

Activation activation_of(std::string_view text) {
  if (text.empty() || text == "none") return Activation::none;
  for (int i = 0; i <= static_cast<int>(Activation::other); ++i) {
    if (name(static_cast<Activation>(i)) == text) return static_cast<Activation>(i);
  }
  throw bad_input("column 'activation': unknown activation '" + std::string(text) + "'");
}

// Total padding that makes the output ceil(in / stride) elements long, as TensorFlow's `same` does.
std::int64_t same_padding(std::int64_t in, std::int64_t kernel, std::int64_t stride) {
  const std::int64_t out = (in + stride - 1) / stride;
  return std::max<std::int64_t>((out - 1) * stride + kernel - in, 0);
}

struct ConvAxis {
  std::int64_t in, kernel, stride, dilation, pad_begin, pad_end;
};

// `axis` is "_w" or "_h"; square problems have columns without it.
ConvAxis conv_axis(const RowReader& reader, std::size_t row, const std::string& axis) {
  ConvAxis result{};
  result.in = reader.count("input" + axis, "input_size", row);
  result.kernel = reader.count("kernel" + axis, "kernel", row);
  result.stride = reader.count_or("stride" + axis, row, reader.count_or("stride", row, 1));
  result.dilation = reader.count_or("dilation" + axis, row, reader.count_or("dilation", row, 1));
  const std::string_view padding = reader.text("padding", row);
  if (padding == "same") {
    const std::int64_t extent = (result.kernel - 1) * result.dilation + 1;
    const std::int64_t total = same_padding(result.in, extent, result.stride);
    result.pad_begin = total / 2;
    result.pad_end = total - result.pad_begin;
  } else if (padding.empty()) {
    result.pad_begin = result.pad_end = reader.count_or("pad" + axis, row, reader.count_or("pad", row, 0));
  } else if (padding != "valid") {
    throw bad_input("column 'padding': '" + std::string(padding) + "' is neither 'same' nor 'valid'");
  }
  return result;
}

std::string convert_conv(const RowReader& reader, std::size_t row, Sample& sample) {
  const ConvAxis w = conv_axis(reader, row, "_w");
  const ConvAxis h = conv_axis(reader, row, "_h");
  sample.problem = make_problem(kind("conv"), DType::f32,
                                {{"batch", reader.count("batch", row)},
                                 {"in_channels", reader.count("in_channels", row)},
                                 {"out_channels", reader.count("out_channels", row)},
                                 {"groups", reader.count_or("groups", row, 1)},
                                 {"bias", reader.count_or("bias", row, 0)},
                                 {"in_h", h.in},
                                 {"in_w", w.in},
                                 {"kernel_h", h.kernel},
                                 {"kernel_w", w.kernel},
                                 {"stride_h", h.stride},
                                 {"stride_w", w.stride},
                                 {"dilation_h", h.dilation},
                                 {"dilation_w", w.dilation},
                                 {"pad_begin_h", h.pad_begin},
                                 {"pad_begin_w", w.pad_begin},
                                 {"pad_end_h", h.pad_end},
                                 {"pad_end_w", w.pad_end}});
  return {};
}

std::string convert_dense(const RowReader& reader, std::size_t row, Sample& sample) {
  sample.problem = make_problem(kind("dense"), DType::f32,
                                {{"rows", reader.count("batch", row)},
                                 {"in_features", reader.count("in_features", row)},
                                 {"out_features", reader.count("out_features", row)},
                                 {"bias", reader.count_or("bias", row, 1)}});
  return {};
}

std::string convert_gemm(const RowReader& reader, std::size_t row, Sample& sample) {
  const std::string_view op = reader.text("op", row);
  std::int64_t m = reader.count("m", row);
  std::int64_t n = reader.count("n", row);
  const std::int64_t k = reader.count("k", row);
  if (op == "linear") {
    sample.problem = make_problem(
        kind("dense"), DType::f32,
        {{"rows", m}, {"in_features", k}, {"out_features", n}, {"bias", reader.count_or("bias", row, 0)}});
    return {};
  }
  std::int64_t transposed_a = reader.count_or("a_trans", row, 0);
  std::int64_t transposed_b = reader.count_or("b_trans", row, 0);
  // BLAS calls are column-major: a row-major product has its sides exchanged.
  if (op == "gemm") {
    std::swap(m, n);
    std::swap(transposed_a, transposed_b);
  }
  const std::int64_t batch = reader.count_or("batch", row, 1);
  sample.problem = make_problem(kind("matmul"), DType::f32,
                                {{"batch", batch},
                                 {"m", m},
                                 {"n", n},
                                 {"k", k},
                                 {"matrices_a", batch},
                                 {"matrices_b", batch},
                                 {"transposed_a", transposed_a},
                                 {"transposed_b", transposed_b}});
  return {};
}

std::string convert_rowwise(const RowReader& reader, std::size_t row, Sample& sample) {
  const std::string_view op = reader.text("op", row);
  const std::int64_t rows = reader.count("rows", row);
  const std::int64_t cols = reader.count("cols", row);
  if (op == "softmax") {
    sample.problem = make_problem(kind("softmax"), DType::f32, {{"rows", rows}, {"cols", cols}});
    return {};
  }
  if (op != "layernorm") throw bad_input("column 'op': unknown operator '" + std::string(op) + "'");
  constexpr std::int64_t kLayerNorm = 2;  // choice of the kind's parameter `function`
  sample.problem = make_problem(kind("norm"), DType::f32,
                                {{"function", kLayerNorm},
                                 {"rows", rows},
                                 {"cols", cols},
                                 {"channels", cols},
                                 {"scale", 1},
                                 {"bias", 1}});
  return {};
}

std::string convert_elementwise(const RowReader& reader, std::size_t row, Sample& sample) {
  std::string op(reader.text("op", row));
  const std::int64_t elements = reader.count("rows", row) * reader.count("cols", row);
  if (op == "tanh" || op == "relu" || op == "gelu") {
    sample.problem = make_problem(kind("activation"), DType::f32, {{"elements", elements}});
    sample.problem.activation = activation_of(op);
    return {};
  }
  const bool scalar = op.ends_with("_scalar");
  if (scalar) op.resize(op.size() - std::string_view("_scalar").size());
  std::int64_t function = 0;
  for (const std::string_view known : {"add", "mul", "div", "pow"}) {
    if (op == known) break;
    ++function;
  }
  if (function == 4) throw bad_input("column 'op': unknown operator '" + op + "'");
  sample.problem = make_problem(kind("elementwise"), DType::f32,
                                {{"elements", elements},
                                 {"operand_elements", scalar ? elements + 1 : 2 * elements},
                                 {"operands", 2},
                                 {"function", function},
                                 {"output_bits", 32}});
  return {};
}

std::string convert_rnn(const RowReader& reader, std::size_t row, Sample& sample) {
  const std::string_view cell = reader.text("cell", row);
  std::int64_t cell_code = 0;
  for (const std::string_view known : {"vanilla", "lstm", "gru"}) {
    if (cell == known) break;
    ++cell_code;
  }
  if (cell_code == 3) throw bad_input("column 'cell': unknown cell '" + std::string(cell) + "'");
  const std::int64_t hidden = reader.count("hidden", row);
  sample.problem = make_problem(kind("recurrent"), DType::f32,
                                {{"cell", cell_code},
                                 {"batch", reader.count("batch", row)},
                                 {"steps", reader.count("timesteps", row)},
                                 {"in_features", hidden},
                                 {"hidden", hidden},
                                 {"directions", 1},
                                 {"bias", 1}});
  return {};
}

struct NamedConversion {
  std::string_view table_kind;
  RowConversion convert;
};
constexpr NamedConversion kConversions[] = {
    {"conv", convert_conv},
    {"dense", convert_dense},
    {"gemm", convert_gemm},
    {"rowwise", convert_rowwise},
    {"elementwise", convert_elementwise},
    {"rnn", convert_rnn},
    {"network_ops", convert_network_op},
    {"problems", convert_problem},
};

}  // namespace

std::int64_t RowReader::count(std::string_view column, std::size_t row) const {
  const std::int64_t value = count_or(column, row, -1);
  if (value < 0) throw bad_input("column '" + std::string(column) + "' is empty");
  return value;
}

std::int64_t RowReader::count(std::string_view column, std::string_view other, std::size_t row) const {
  const std::int64_t value = count_or(column, row, -1);
  return value >= 0 ? value : count(other, row);
}

std::int64_t RowReader::count_or(std::string_view column, std::size_t row, std::int64_t fallback) const {
  return static_cast<std::int64_t>(number_or(column, row, static_cast<double>(fallback)));
}

double RowReader::number_or(std::string_view column, std::size_t row, double fallback) const {
  const Column* found = table_.find(column);
  if (found == nullptr || found->is_text() || std::isnan(found->numbers[row])) return fallback;
  return found->numbers[row];
}

RowConversion find_row_conversion(std::string_view table_kind, SampleUse use) {
  // Operators within networks are kept for evaluation: none of the trained networks has seen them.
  if (table_kind == "network_ops" && use == SampleUse::training) return nullptr;
  const auto* found =
      std::find_if(std::begin(kConversions), std::end(kConversions),
                   [&](const NamedConversion& named) { return named.table_kind == table_kind; });
  return found == std::end(kConversions) ? nullptr : found->convert;
}

Pass parse_pass(std::string_view mode) {
  if (mode == "forward") return Pass::forward;
  if (mode == "training") return Pass::training;
  if (mode == "backward") return Pass::backward;
  if (mode == "backward_data") return Pass::backward_data;
  if (mode == "backward_filter" || mode == "backward_weight") return Pass::backward_weight;
  throw bad_input("column 'mode': unknown mode '" + std::string(mode) + "'");
}

}  // namespace layersim
