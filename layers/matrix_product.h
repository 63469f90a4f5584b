#pragma once
// Operators that multiply matrices, in one form: `batch` products of m x k times k x n. Which kind a product
// becomes depends on its operands: with one matrix stored in the file it is a dense layer, else a matmul.

#include <cstdint>
#include <optional>
#include <string_view>

#include "layers/lowering.h"

namespace layersim {

// Sizes are kUnknownDim where the shapes do not tell.
struct MatrixProduct {
  Shape output;  // with the batch axes
  std::int64_t m = 1;
  std::int64_t n = 1;
  std::int64_t k = 1;
  std::int64_t batch = 1;    // products
  std::int64_t batch_a = 1;  // distinct left matrices; below `batch` where they are broadcast
  std::int64_t batch_b = 1;
};

// Adds the layer for a product whose operands are the inputs `a` and `b` of the node.
void add_matrix_product(LoweringContext& context, const MatrixProduct& product, std::size_t a, std::size_t b,
                        bool bias, Activation activation = Activation::none);

// Rules of the operators that dense.cpp and matmul.cpp list.
void infer_matrix_product(ShapeContext& context);
void lower_matrix_product(LoweringContext& context);
void infer_einsum(ShapeContext& context);
void lower_einsum(LoweringContext& context);

}  // namespace layersim
