// Tensors made from sizes alone, and changes of the data type.

#include <algorithm>

#include "sim/core/error.h"
#include "sim/graph/onnx_dtype.h"
#include "sim/import/torchscript/operator.h"

namespace layersim {
namespace {

// By PyTorch's number; unknown for others.
DType type_of(std::int64_t number) {
  switch (number) {
    case 0:
      return DType::u8;
    case 1:
      return DType::i8;
    case 2:
      return DType::i16;
    case 3:
      return DType::i32;
    case 4:
      return DType::i64;
    case 5:
      return DType::f16;
    case 6:
      return DType::f32;
    case 7:
      return DType::f64;
    case 11:
      return DType::boolean;
    case 15:
      return DType::bf16;
    default:
      return DType::unknown;
  }
}

ValueId cast(const TorchCall& call, ValueId x, DType to) {
  if (to == DType::unknown || call.converter().tensor(x).dtype == to) return x;
  return call.emit("Cast", {x}, {{"to", std::int64_t{onnx_number(to)}}});
}

// The first argument from `first` on that is an integer: the data type.
DType type_argument(const TorchCall& call, std::size_t first) {
  for (std::size_t i = first; i < call.count(); ++i) {
    if (const auto* number = call[i].get<std::int64_t>()) return type_of(*number);
  }
  return DType::unknown;
}

// x, then a type, a device or another tensor
void to(TorchCall& call) {
  if (call[1].is_tensor())
    return call.give(cast(call, call.tensor(0), call.converter().tensor(call.tensor(1)).dtype));
  call.give(cast(call, call.tensor(0), type_argument(call, 1)));
}

ValueId filled(const TorchCall& call, ValueId sizes, DType dtype) {
  Tensor value{dtype == DType::unknown ? DType::f32 : dtype, Shape{1}, nullptr};
  value.constant =
      std::make_shared<const Constant>(is_float(value.dtype) ? Constant{{}, {0}} : Constant{{0}, {}});
  return call.emit("ConstantOfShape", {sizes}, {{"value", std::move(value)}});
}

// sizes, type ...
void zeros(TorchCall& call) { call.give(filled(call, call.sizes(0), type_argument(call, 1))); }

// sizes, number, type ...
void full(TorchCall& call) { call.give(filled(call, call.sizes(0), type_argument(call, 2))); }

// x, sizes ...: of the type of x
void new_zeros(TorchCall& call) {
  call.give(filled(call, call.sizes(1), call.converter().tensor(call.tensor(0)).dtype));
}

void zeros_like(TorchCall& call) {
  call.give(
      filled(call, call.emit("Shape", {call.tensor(0)}), call.converter().tensor(call.tensor(0)).dtype));
}

// end, type ...; begin, end, type ...; or begin, end, step, type ...
void range(TorchCall& call) {
  constexpr std::size_t kOptions = 4;  // type, layout, device, pinned memory
  const std::size_t numbers = std::clamp<std::size_t>(call.count(), kOptions + 1, kOptions + 3) - kOptions;
  const auto place = [&](std::size_t i) {
    return call[i].get<TorchNumber>() != nullptr ? call.tensor(i)
                                                 : call.converter().int_scalar(call.integer(i));
  };
  TorchConverter& converter = call.converter();
  const ValueId begin = numbers > 1 ? place(0) : converter.int_scalar(0);
  const ValueId end = place(numbers > 1 ? 1 : 0);
  call.give(call.emit("Range", {begin, end, numbers > 2 ? place(2) : converter.int_scalar(1)}));
}

void random_like(TorchCall& call) { call.give(call.emit("RandomNormalLike", {call.tensor(0)})); }

void random(TorchCall& call) { call.give(call.emit("RandomNormal", {}, {{"shape", call.ints(0)}})); }

}  // namespace

std::span<const TorchOperator> torch_fills() {
  static constexpr TorchOperator kOperators[] = {
      {"to", to},
      {"type_as", to},
      {"zeros", zeros},
      {"ones", zeros},
      {"empty", zeros},
      {"full", full},
      {"new_zeros", new_zeros},
      {"new_ones", new_zeros},
      {"new_empty", new_zeros},
      {"new_full", new_zeros},
      {"zeros_like", zeros_like},
      {"ones_like", zeros_like},
      {"empty_like", zeros_like},
      {"full_like", zeros_like},
      {"arange", range},
      {"rand_like", random_like},
      {"randn_like", random_like},
      {"rand", random},
      {"randn", random},
  };
  return kOperators;
}

}  // namespace layersim
