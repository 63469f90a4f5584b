#include "layers/matrix_product.h"

#include <algorithm>
#include <array>
#include <string>

#include "layers/kinds.h"
#include "sim/core/error.h"

namespace layersim {
namespace {

// Where an operator has its operands.
struct ProductOperator {
  std::string_view op;
  std::size_t a;
  std::size_t b;
  std::size_t bias;    // 0: none
  bool matrices_only;  // Gemm: rank 2, flags transA and transB
  bool packed;         // the second operand is packed; attributes K and N tell its size
};
// A MatMul has no bias in ONNX; fuse_bias gives it one as a third input.
constexpr std::array kProductOperators{
    ProductOperator{"MatMul", 0, 1, 2, false, false},
    ProductOperator{"Gemm", 0, 1, 2, true, false},
    ProductOperator{"FusedMatMul", 0, 1, 0, false, false},
    ProductOperator{"TransposeMatMul", 0, 1, 0, false, false},
    ProductOperator{"FusedMatMulActivation", 0, 1, 0, false, false},
    ProductOperator{"FusedGemm", 0, 1, 2, true, false},
    ProductOperator{"GemmFastGelu", 0, 1, 2, false, false},
    ProductOperator{"GemmFloat8", 0, 1, 2, true, false},
    ProductOperator{"MatMulInteger", 0, 1, 0, false, false},
    ProductOperator{"MatMulInteger16", 0, 1, 0, false, false},
    ProductOperator{"MatMulIntegerToFloat", 0, 1, 6, false, false},
    ProductOperator{"DynamicQuantizeMatMul", 0, 1, 4, false, false},
    ProductOperator{"QLinearMatMul", 0, 3, 0, false, false},
    ProductOperator{"QGemm", 0, 3, 6, true, false},
    ProductOperator{"MatMulNBits", 0, 1, 5, false, true},
    ProductOperator{"MatMulBnb4", 0, 1, 0, false, true},
};

const ProductOperator& product_operator(const Node& node) {
  const auto* found = std::find_if(kProductOperators.begin(), kProductOperators.end(),
                                   [&](const ProductOperator& entry) { return entry.op == node.op; });
  if (found == kProductOperators.end()) throw internal_error("no matrix product: " + node.op);
  return *found;
}

// One operand after its flags: batch axes, rows, columns. A vector gets a second axis of size 1.
struct Operand {
  Shape batch;
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  bool vector = false;
};

Operand read_operand(Shape shape, bool left, bool transposed, bool batch_transposed) {
  Operand operand;
  if (shape.size() == 1) {
    operand.vector = true;
    (left ? operand.columns : operand.rows) = shape[0];
    return operand;
  }
  // transBatchA of FusedMatMul moves axis 0 behind the other batch axes.
  if (batch_transposed) std::rotate(shape.begin(), shape.begin() + 1, shape.end() - 1);
  operand.rows = shape[shape.size() - 2];
  operand.columns = shape.back();
  if (transposed) std::swap(operand.rows, operand.columns);
  shape.resize(shape.size() - 2);
  operand.batch = std::move(shape);
  return operand;
}

std::int64_t count_or_unknown(const Shape& shape) {
  return is_known(shape) ? element_count(shape) : kUnknownDim;
}

MatrixProduct read_product(const ShapeContext& context, const ProductOperator& op) {
  const auto flag = [&](std::string_view name) { return context.int_or(name, 0) != 0; };
  const Operand a = read_operand(context.shape(op.a, 1), true, flag("transA"), flag("transBatchA"));
  Operand b;
  if (op.packed) {
    b.rows = context.int_or("K", 0);
    b.columns = context.int_or("N", 0);
    if (b.rows < 1 || b.columns < 1 || b.rows > kMaxElements || b.columns > kMaxElements) {
      throw bad_input("attributes K and N are " + std::to_string(b.rows) + " and " +
                      std::to_string(b.columns));
    }
  } else {
    b = read_operand(context.shape(op.b, 1), false, flag("transB"), flag("transBatchB"));
  }
  if (op.matrices_only && (!a.batch.empty() || a.vector || !b.batch.empty() || b.vector)) {
    throw bad_input("operands should be matrices, they are " + to_string(context.shape(op.a)) + " and " +
                    to_string(context.shape(op.b)));
  }
  if (a.columns >= 0 && b.rows >= 0 && a.columns != b.rows) {
    throw bad_input("a left operand with " + std::to_string(a.columns) + " columns (" +
                    to_string(context.shape(op.a)) + ") does not fit a right operand with " +
                    std::to_string(b.rows) + " rows (" + to_string(context.shape(op.b)) + ")");
  }
  MatrixProduct product;
  product.m = a.rows;
  product.n = b.columns;
  product.k = a.columns >= 0 ? a.columns : b.rows;
  product.output = broadcast(a.batch, b.batch);
  product.batch = count_or_unknown(product.output);
  product.batch_a = count_or_unknown(a.batch);
  product.batch_b = count_or_unknown(b.batch);
  if (!a.vector) product.output.push_back(product.m);
  if (!b.vector) product.output.push_back(product.n);
  return product;
}

// Gemm adds a matrix with a column for each of the product's, or one for all. Its rows are not looked at:
// they may be those of another batch.
void check_added_matrix(const ShapeContext& context, const ProductOperator& op, std::int64_t columns) {
  if (!op.matrices_only || !context.has_input(op.bias) || !context.input(op.bias).shape) return;
  const Shape& added = *context.input(op.bias).shape;
  const std::int64_t own = added.empty() ? 1 : added.back();
  if (added.size() <= 2 && (own == 1 || own == columns || own < 0 || columns < 0)) return;
  throw bad_input("a bias of shape " + to_string(added) + " does not fit a product with " +
                  std::to_string(columns) + " columns");
}

DType product_type(const ShapeContext& context, const ProductOperator& op) {
  if (op.op == "MatMulInteger" || op.op == "MatMulInteger16") return DType::i32;
  if (op.op == "MatMulIntegerToFloat") return context.has_input(2) ? context.dtype(2) : DType::f32;
  if (op.op == "QLinearMatMul" && context.has_input(7)) return context.dtype(7);
  if (op.op == "QGemm") return context.has_input(8) ? context.dtype(8) : DType::f32;
  return context.dtype(op.a);
}

DType packed_type(std::int64_t bits) {
  if (bits < 1 || bits > 8) throw bad_input("attribute 'bits' is " + std::to_string(bits));
  return bits <= 4 ? DType::u4 : DType::u8;
}

std::int64_t times(std::int64_t a, std::int64_t b) { return element_count({a, b}); }

}  // namespace

void add_matrix_product(LoweringContext& context, const MatrixProduct& product, std::size_t a, std::size_t b,
                        bool bias, Activation activation) {
  const bool stored_b = context.is_weight(b);
  const bool stored_a = !stored_b && context.is_weight(a);
  // A stored left matrix is a dense layer of the transposed product.
  const std::int64_t m = stored_a ? product.n : product.m;
  const std::int64_t n = stored_a ? product.m : product.n;
  const std::int64_t batch_a = stored_a ? product.batch_b : product.batch_a;
  const std::int64_t batch_b = stored_a ? product.batch_a : product.batch_b;
  const DType dtype = context.dtype(stored_a ? b : a);
  Problem problem;
  if ((stored_a || stored_b) && batch_b == 1) {
    problem = make_problem(dense_kind(), dtype,
                           {{"rows", times(product.batch, m)},
                            {"in_features", product.k},
                            {"out_features", n},
                            {"bias", bias ? 1 : 0}});
  } else {
    problem = make_problem(matmul_kind(), dtype,
                           {{"batch", product.batch},
                            {"m", m},
                            {"n", n},
                            {"k", product.k},
                            {"matrices_a", batch_a},
                            {"matrices_b", batch_b},
                            {"stored_b", stored_a || stored_b ? 1 : 0}});
  }
  problem.weight_dtype = context.weight_dtype(stored_a ? a : b);
  problem.activation = activation;
  context.add(std::move(problem));
}

void infer_matrix_product(ShapeContext& context) {
  const ProductOperator& op = product_operator(context.node());
  MatrixProduct product = read_product(context, op);
  check_added_matrix(context, op, product.n);
  context.set_output(0, product_type(context, op), std::move(product.output));
}

void lower_matrix_product(LoweringContext& context) {
  const ProductOperator& op = product_operator(context.node());
  (void)context.full_shape(op.a);
  const MatrixProduct product = read_product(context, op);
  if (!is_known(product.output) || product.k < 0) throw ShapeUnknown{};
  Activation activation = Activation::none;
  if (op.op == "GemmFastGelu") activation = Activation::gelu;
  if (const std::string fused = context.text_or("activation", ""); !fused.empty()) {
    activation = activation_of_operator(fused).value_or(Activation::other);
  }
  const bool bias = op.bias != 0 && context.has_input(op.bias);
  if (!op.packed) {
    (void)context.full_shape(op.b);
    add_matrix_product(context, product, op.a, op.b, bias, activation);
    return;
  }
  Problem problem = make_problem(dense_kind(), context.dtype(op.a),
                                 {{"rows", times(product.batch, product.m)},
                                  {"in_features", product.k},
                                  {"out_features", product.n},
                                  {"bias", bias ? 1 : 0}});
  problem.weight_dtype = packed_type(context.int_or("bits", 4));
  problem.activation = activation;
  context.add(std::move(problem));
}

}  // namespace layersim
