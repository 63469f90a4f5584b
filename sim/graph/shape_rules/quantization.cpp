// Operators between real numbers and their quantized forms. The products of quantized tensors belong to the
// layer kinds.

#include <span>

#include "sim/core/checked.h"
#include "sim/core/error.h"
#include "sim/graph/onnx_dtype.h"
#include "sim/graph/shape_rules/contents.h"

namespace layersim {
namespace {

void quantize(ShapeContext& context) {
  DType dtype = DType::u8;
  if (context.has_input(2)) {
    dtype = context.dtype(2);
  } else if (const std::int64_t number = context.int_or("output_dtype", 0); number != 0) {
    dtype = dtype_from_onnx(number);
  }
  context.set_output(0, dtype, context.shape(0));
}

void dequantize(ShapeContext& context) {
  const std::int64_t number = context.int_or("output_dtype", 0);
  const DType scale = context.dtype(1) != DType::unknown ? context.dtype(1) : DType::f32;
  context.set_output(0, number != 0 ? dtype_from_onnx(number) : scale, context.shape(0));
}

void dynamic_quantize(ShapeContext& context) {
  context.set_output(0, DType::u8, context.shape(0));
  context.set_output(1, DType::f32, {});
  context.set_output(2, DType::u8, {});
}

// x, x_scale, x_zero_point, ... -> the type and shape of x
void quantized_unary(ShapeContext& context) { context.set_output(0, context.dtype(0), context.shape(0)); }

// a, a_scale, a_zero_point, b, b_scale, b_zero_point, c_scale, c_zero_point
void quantized_binary(ShapeContext& context) {
  context.set_output(0, context.dtype(0), broadcast(context.shape(0), context.shape(3)));
}

// y_scale, y_zero_point, then x, x_scale, x_zero_point for each part
void quantized_concat(ShapeContext& context) {
  Shape shape = context.shape(2);
  const std::size_t axis = normalize_axis(context.int_or("axis", 0), shape.size());
  for (std::size_t i = 5; i < context.input_count(); i += 3) {
    const Shape& part = context.shape(i);
    if (part.size() != shape.size()) throw bad_input("the parts differ in rank");
    const bool known = shape[axis] >= 0 && part[axis] >= 0;
    shape[axis] = known ? checked_add(shape[axis], part[axis]) : kUnknownDim;
  }
  context.set_output(0, context.dtype(2), std::move(shape));
}

}  // namespace

std::span<const ShapeRule> quantization_rules() {
  static constexpr ShapeRule kRules[] = {
      {"QuantizeLinear", quantize},
      {"DequantizeLinear", dequantize},
      {"DynamicQuantizeLinear", dynamic_quantize},
      {"QuantizeLinear", quantize, "com.microsoft"},
      {"DequantizeLinear", dequantize, "com.microsoft"},
      {"QLinearAdd", quantized_binary, "com.microsoft"},
      {"QLinearMul", quantized_binary, "com.microsoft"},
      {"QLinearSigmoid", quantized_unary, "com.microsoft"},
      {"QLinearLeakyRelu", quantized_unary, "com.microsoft"},
      {"QLinearSoftmax", quantized_unary, "com.microsoft"},
      {"QLinearConcat", quantized_concat, "com.microsoft"},
  };
  return kRules;
}

}  // namespace layersim
