// Normalizations. ONNX wants scale and shift where PyTorch may leave them out: constants stand for them.

#include "sim/core/error.h"
#include "sim/import/torchscript/operator.h"
#include "sim/import/torchscript/operators/parts.h"

namespace layersim {

ValueId layer_norm(const TorchCall& call, ValueId x, std::size_t axes, ValueId weight, ValueId bias) {
  TorchConverter& converter = call.converter();
  const Tensor& tensor = converter.tensor(x);
  if (!tensor.shape || tensor.shape->size() < axes) throw ShapeUnknown{};
  if (weight == kNoValue) {
    weight = converter.filler(
        Shape(tensor.shape->end() - static_cast<std::ptrdiff_t>(axes), tensor.shape->end()), tensor.dtype);
  }
  std::vector<ValueId> inputs{x, weight};
  if (bias != kNoValue) inputs.push_back(bias);
  return call.emit("LayerNormalization", std::move(inputs), {{"axis", -static_cast<std::int64_t>(axes)}});
}

namespace {

// A tensor of the call, or one for each channel.
ValueId or_channels(const TorchCall& call, std::size_t i) {
  if (!call[i].is_none()) return call.tensor(i);
  const Shape input = call.shape(0);
  if (input.size() < 2) throw ShapeUnknown{};
  return call.converter().filler({input[1]}, call.converter().tensor(call.tensor(0)).dtype);
}

// x, scale, shift, mean, variance, training, momentum, epsilon
void batch_norm(TorchCall& call) {
  std::vector<ValueId> inputs{call.tensor(0)};
  for (std::size_t i = 1; i <= 4; ++i) {
    inputs.push_back(or_channels(call, i));
    // Stored with the parameters and read in every pass, though not learned.
    Value& value = call.converter().graph().value(inputs.back());
    if (i > 2 && value.origin == Origin::constant && !call[i].is_none()) value.origin = Origin::weight;
  }
  call.give(call.emit("BatchNormalization", inputs));
  for (int i = 0; i < 2; ++i) call.give(TorchValue(TorchUnknown{"statistics of a batch norm"}));
}

// x, normalized shape, scale, shift, epsilon
void layer_norm_call(TorchCall& call) {
  const TorchSequence* shape = call[1].sequence();
  if (shape == nullptr) throw ShapeUnknown{};
  call.give(layer_norm(call, call.tensor(0), shape->items.size(), call.optional_tensor(2),
                       call.optional_tensor(3)));
  for (int i = 0; i < 2; ++i) call.give(TorchValue(TorchUnknown{"statistics of a layer norm"}));
}

// x, groups, scale, shift, epsilon
void group_norm(TorchCall& call) {
  call.give(call.emit("GroupNormalization", {call.tensor(0), or_channels(call, 2), or_channels(call, 3)},
                      {{"num_groups", call.integer(1)}}));
}

void instance_norm(TorchCall& call) {
  call.give(call.emit("InstanceNormalization", {call.tensor(0), or_channels(call, 1), or_channels(call, 2)}));
}

}  // namespace

std::span<const TorchOperator> torch_norms() {
  static constexpr TorchOperator kOperators[] = {
      {"batch_norm", batch_norm},      {"native_batch_norm", batch_norm},
      {"layer_norm", layer_norm_call}, {"native_layer_norm", layer_norm_call},
      {"group_norm", group_norm},      {"instance_norm", instance_norm},
  };
  return kOperators;
}

}  // namespace layersim
