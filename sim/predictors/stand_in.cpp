#include "sim/predictors/stand_in.h"

#include <algorithm>
#include <string>

namespace layersim {
namespace {

const LayerKind& kind(std::string_view name) { return *find_layer_kind(name); }

std::vector<Problem> convolution_back(const Problem& problem) {
  Problem conv = make_problem(kind("conv"), problem.dtype,
                              {{"batch", problem.size("batch")},
                               {"in_channels", problem.size("out_channels")},
                               {"out_channels", problem.size("in_channels")},
                               {"groups", problem.size("groups")}});
  const auto copy = [&](const std::string& to, const std::string& from) {
    for (const char axis : {'d', 'h', 'w'}) {
      for (std::size_t i = 0; i < conv.kind->parameters.size(); ++i) {
        if (conv.kind->parameters[i].name == to + axis) conv.sizes[i] = problem.size(from + axis);
      }
    }
  };
  copy("in_", "out_");
  copy("out_", "in_");
  for (const char* quantity : {"kernel_", "stride_", "dilation_", "pad_begin_", "pad_end_"})
    copy(quantity, quantity);
  return {std::move(conv)};
}

std::vector<Problem> attention_products(const Problem& problem) {
  const std::int64_t products = problem.size("batch") * problem.size("heads");
  const std::int64_t queries = problem.size("query_length");
  const std::int64_t keys = problem.size("key_length");
  const auto product = [&](std::int64_t n, std::int64_t k) {
    return make_problem(kind("matmul"), problem.dtype,
                        {{"batch", products},
                         {"m", queries},
                         {"n", n},
                         {"k", k},
                         {"matrices_a", products},
                         {"matrices_b", products}});
  };
  return {product(keys, problem.size("head_size")),
          make_problem(kind("softmax"), problem.dtype, {{"rows", products * queries}, {"cols", keys}}),
          product(problem.size("value_head_size"), keys)};
}

}  // namespace

std::vector<Problem> stand_ins(const Problem& problem, const LayerWork& work) {
  if (problem.kind != nullptr && problem.kind->name == "conv_transpose") return convolution_back(problem);
  if (problem.kind != nullptr && problem.kind->name == "attention") return attention_products(problem);
  // An addition moves three elements of 4 bytes for each of its output.
  const auto elements = std::max<std::int64_t>(static_cast<std::int64_t>(work.forward.bytes() / 12), 1);
  return {make_problem(kind("elementwise"), DType::f32,
                       {{"elements", elements},
                        {"operand_elements", 2 * elements},
                        {"operands", 2},
                        {"function", 0},
                        {"output_bits", 32}})};
}

}  // namespace layersim
