// Batched matrix product of two activations, as in attention: B products of m x k times k x n.
//   MACs      B x m x n x k
//   elements  matrices_a x m x k and matrices_b x k x n in (fewer matrices than B where they are broadcast),
//   B x m x n out
// Backward, each operand's gradient is one product with the same MACs; a stored right operand (a stack of
// weight matrices) has a weight gradient instead.

#include "layers/kinds.h"
#include "layers/matrix_product.h"
#include "layers/work.h"

namespace layersim {
namespace {

enum MatmulSize : std::size_t {
  kBatch,
  kM,
  kN,
  kK,
  kMatricesA,
  kMatricesB,
  kStoredB,
  kTransposedA,
  kTransposedB
};

LayerWork matmul_work(const Problem& problem) {
  const double a = at(problem, kMatricesA) * at(problem, kM) * at(problem, kK);
  const double b = at(problem, kMatricesB) * at(problem, kK) * at(problem, kN);
  const double out = at(problem, kBatch) * at(problem, kM) * at(problem, kN);
  const double macs = out * at(problem, kK);
  if (at(problem, kStoredB) != 0) {
    return weighted_product_work(problem, {.macs = macs,
                                           .input_elements = a,
                                           .weight_elements = b,
                                           .bias_elements = 0,
                                           .output_elements = out});
  }
  const double element = bytes(problem.dtype);
  LayerWork work;
  work.forward = {macs, 2 * macs, (a + b) * element, out * element, 1};
  // Two products, each of the incoming gradient with the other operand.
  work.backward_data = {2 * macs, 4 * macs, (2 * out + a + b) * element, (a + b) * element, 2};
  work.keeps_input = true;
  return work;
}

void derive_matmul(Problem& problem) {
  problem.sizes.at(kMatricesA) = problem.sizes.at(kBatch);
  problem.sizes.at(kMatricesB) = problem.sizes.at(kBatch);
}

}  // namespace

const LayerKind& matmul_kind() {
  constexpr std::string_view kMs = "com.microsoft";
  static const LayerKind kKind{
      .name = "matmul",
      .summary = "batched matrix product of two activations",
      .parameters = {{"batch", "product", 1, 4096, Draw::log_uniform},
                     {"m", "element", 1, 8192, Draw::log_uniform},
                     {"n", "element", 1, 8192, Draw::log_uniform},
                     {"k", "element", 1, 8192, Draw::log_uniform},
                     {"matrices_a", "matrix", 1, kMaxElements, Draw::derived},
                     {"matrices_b", "matrix", 1, kMaxElements, Draw::derived},
                     {"stored_b", "flag", 0, 0, Draw::fixed},
                     {"transposed_a", "flag", 0, 0, Draw::fixed},  // as they lie in memory
                     {"transposed_b", "flag", 0, 0, Draw::fixed}},
      .operators = {{"MatMul", infer_matrix_product, lower_matrix_product},
                    {"MatMulInteger", infer_matrix_product, lower_matrix_product},
                    {"QLinearMatMul", infer_matrix_product, lower_matrix_product},
                    {"Einsum", infer_einsum, lower_einsum},
                    {"FusedMatMul", infer_matrix_product, lower_matrix_product, kMs},
                    {"FusedMatMulActivation", infer_matrix_product, lower_matrix_product, kMs},
                    {"TransposeMatMul", infer_matrix_product, lower_matrix_product, kMs},
                    {"QLinearMatMul", infer_matrix_product, lower_matrix_product, kMs},
                    {"MatMulInteger16", infer_matrix_product, lower_matrix_product, kMs},
                    {"MatMulIntegerToFloat", infer_matrix_product, lower_matrix_product, kMs}},
      .work = matmul_work,
      .derive = derive_matmul};
  return kKind;
}

}  // namespace layersim
