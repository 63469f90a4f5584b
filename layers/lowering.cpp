#include "layers/lowering.h"

#include <utility>

namespace layersim {

bool LoweringContext::is_weight(std::size_t index) const {
  if (!has_input(index)) return false;
  const Origin origin = graph().value(node().input(index)).origin;
  return origin == Origin::weight || origin == Origin::constant;
}

const Shape& LoweringContext::output_shape(std::size_t index) const {
  const ValueId id = node().output(index);
  if (id == kNoValue) throw ShapeUnknown{};
  const std::optional<Shape>& shape = graph().value(id).tensor.shape;
  if (!shape || !is_known(*shape)) throw ShapeUnknown{};
  return *shape;
}

DType LoweringContext::output_dtype(std::size_t index) const {
  const ValueId id = node().output(index);
  if (id == kNoValue) throw ShapeUnknown{};
  return graph().value(id).tensor.dtype;
}

DType LoweringContext::weight_dtype(std::size_t index, std::size_t fallback) const {
  return dtype(is_weight(index) ? index : fallback);
}

void LoweringContext::add(Problem problem, const std::string& suffix, std::optional<Shape> output_shape) {
  Layer layer;
  layer.name = suffix.empty() || node().name.empty() ? node().name + suffix : node().name + "." + suffix;
  layer.op = node().op;
  layer.scope = node().scope;
  if (const AttributeValue* attribute = node().attribute(kFusedActivation)) {
    const auto& fused = std::get<std::vector<std::string>>(*attribute);
    problem.activation = parse_activation(fused.at(0)).value_or(Activation::other);
    layer.fused = FusedNode{fused.at(1), fused.at(2)};
  }
  layer.work = problem.kind->work(problem);
  layer.problem = std::move(problem);
  if (output_shape) {
    layer.output_shape = std::move(*output_shape);
    layer.output_shape_known = true;
  } else if (const ValueId id = node().output(0); id != kNoValue && graph().value(id).tensor.shape) {
    layer.output_shape = *graph().value(id).tensor.shape;
    layer.output_shape_known = is_known(layer.output_shape);
  }
  if (layers_.size() == first_layer_) {
    for (std::size_t i = 0; i < input_count(); ++i) {
      if (has_input(i)) (is_weight(i) ? layer.weights : layer.inputs).push_back(node().input(i));
    }
  } else {
    layers_.back().outputs.clear();
  }
  for (const ValueId id : node().outputs) {
    if (id != kNoValue) layer.outputs.push_back(id);
  }
  layers_.push_back(std::move(layer));
}

void LoweringContext::unmodelled(const std::string& reason) {
  Layer layer;
  layer.name = node().name;
  layer.op = node().op;
  layer.scope = node().scope;
  layer.unmodelled_reason = reason;
  const auto tensor_bytes = [this](ValueId id) {
    const Tensor& tensor = graph().value(id).tensor;
    if (!tensor.shape || !is_known(*tensor.shape)) return 0.0;
    return static_cast<double>(element_count(*tensor.shape)) * bytes(tensor.dtype);
  };
  for (std::size_t i = 0; i < input_count(); ++i) {
    if (!has_input(i)) continue;
    (is_weight(i) ? layer.weights : layer.inputs).push_back(node().input(i));
    layer.work.forward.bytes_read += tensor_bytes(node().input(i));
  }
  for (const ValueId id : node().outputs) {
    if (id == kNoValue) continue;
    layer.outputs.push_back(id);
    layer.work.forward.bytes_written += tensor_bytes(id);
  }
  layer.work.forward.kernels = 1;
  if (const ValueId id = node().output(0); id != kNoValue && graph().value(id).tensor.shape) {
    layer.output_shape = *graph().value(id).tensor.shape;
    layer.output_shape_known = is_known(layer.output_shape);
  }
  layers_.push_back(std::move(layer));
}

}  // namespace layersim
