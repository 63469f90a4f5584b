// Dense layer: a matrix product with stored weights. With R rows (all axes but the last), I input and O
// output features:
//   MACs     R x I x O
//   weights  I x O, and O for the bias
// The gradients of input and weights are products with the same MACs.

#include "layers/kinds.h"
#include "layers/matrix_product.h"
#include "layers/work.h"

namespace layersim {
namespace {

enum DenseSize : std::size_t { kRows, kInFeatures, kOutFeatures, kBias };

LayerWork dense_work(const Problem& problem) {
  const double rows = at(problem, kRows);
  const double in = at(problem, kInFeatures);
  const double out = at(problem, kOutFeatures);
  return weighted_product_work(problem, {.macs = rows * in * out,
                                         .input_elements = rows * in,
                                         .weight_elements = in * out,
                                         .bias_elements = at(problem, kBias) * out,
                                         .output_elements = rows * out});
}

}  // namespace

const LayerKind& dense_kind() {
  constexpr std::string_view kMs = "com.microsoft";
  static const LayerKind kKind{
      .name = "dense",
      .summary = "fully connected layer: matrix product with stored weights, with or without bias",
      .parameters = {{"rows", "row", 1, 65536, Draw::log_uniform},
                     {"in_features", "element", 1, 16384, Draw::log_uniform},
                     {"out_features", "element", 1, 16384, Draw::log_uniform},
                     {"bias", "flag", 0, 1, Draw::uniform}},
      .operators = {{"Gemm", infer_matrix_product, lower_matrix_product},
                    {"FusedGemm", infer_matrix_product, lower_matrix_product, kMs},
                    {"GemmFastGelu", infer_matrix_product, lower_matrix_product, kMs},
                    {"GemmFloat8", infer_matrix_product, lower_matrix_product, kMs},
                    {"QGemm", infer_matrix_product, lower_matrix_product, kMs},
                    {"MatMulNBits", infer_matrix_product, lower_matrix_product, kMs},
                    {"MatMulBnb4", infer_matrix_product, lower_matrix_product, kMs},
                    {"DynamicQuantizeMatMul", infer_matrix_product, lower_matrix_product, kMs}},
      .work = dense_work,
      .fuses_activation = true};
  return kKind;
}

}  // namespace layersim
