#include <array>

#include "sampler/torch/torch_layer.h"

namespace layersim::torch_sampler {
namespace {

struct NamedMaker {
  std::string_view kind;
  LayerMaker make;
};
constexpr std::array kMakers{
    NamedMaker{"conv", make_conv},
    NamedMaker{"conv_transpose", make_conv_transpose},
    NamedMaker{"dense", make_dense},
    NamedMaker{"matmul", make_matmul},
    NamedMaker{"pool", make_pool},
    NamedMaker{"recurrent", make_recurrent},
    NamedMaker{"norm", make_norm},
    NamedMaker{"activation", make_activation},
    NamedMaker{"elementwise", make_elementwise},
    NamedMaker{"softmax", make_softmax},
    NamedMaker{"reduce", make_reduce},
    NamedMaker{"embedding", make_embedding},
    NamedMaker{"attention", make_attention},
    NamedMaker{"concat", make_concat},
    NamedMaker{"data_movement", make_data_movement},
    NamedMaker{"resize", make_resize},
};

// Random numbers are slow to make: so many are, and repeated.
constexpr std::int64_t kRandomNumbers = 1 << 16;

}  // namespace

LayerMaker find_layer_maker(std::string_view kind) {
  for (const NamedMaker& maker : kMakers) {
    if (maker.kind == kind) return maker.make;
  }
  return nullptr;
}

at::Tensor TensorMaker::random(at::IntArrayRef shape, double scale) const {
  const std::int64_t count = c10::multiply_integers(shape);
  const at::Tensor numbers = (at::randn({std::min(count, kRandomNumbers)}) * scale).to(options_);
  if (count <= kRandomNumbers) return numbers.view(shape);
  return numbers.repeat({(count + kRandomNumbers - 1) / kRandomNumbers}).narrow(0, 0, count).view(shape);
}

at::Tensor TensorMaker::indices(std::int64_t count, std::int64_t end) const {
  return at::randint(end, {count}, options_.dtype(at::kLong));
}

at::Tensor activate(Activation activation, const at::Tensor& tensor) {
  switch (activation) {
    case Activation::none:
      return tensor;
    case Activation::relu:
      return at::relu(tensor);
    case Activation::sigmoid:
      return at::sigmoid(tensor);
    case Activation::tanh:
      return at::tanh(tensor);
    case Activation::softmax:
      return at::softmax(tensor, -1);
    case Activation::gelu:
      return at::gelu(tensor);
    case Activation::silu:
      return at::silu(tensor);
    case Activation::leaky_relu:
      return at::leaky_relu(tensor);
    case Activation::elu:
      return at::elu(tensor);
    case Activation::hard_sigmoid:
      return at::hardsigmoid(tensor);
    case Activation::hard_swish:
      return at::hardswish(tensor);
    case Activation::mish:
      return at::mish(tensor);
    case Activation::other:
      break;
  }
  throw CannotMeasure("its activation has no name");
}

}  // namespace layersim::torch_sampler
