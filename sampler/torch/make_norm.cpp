// Normalizations: of a channel over a batch, and of a token.

#include "sampler/torch/torch_layer.h"

namespace layersim::torch_sampler {
namespace {

constexpr double kEpsilon = 1e-5;
constexpr double kMomentum = 0.1;
constexpr std::int64_t kMostImages = 32;

// Rows are channels; the columns of a channel are taken for as many images as divide them.
TorchLayer make_batch_norm(const SampleProblem& sample, const TensorMaker& tensors) {
  const Sizes sizes(sample.problem);
  const std::int64_t channels = sizes["rows"];
  const std::int64_t images = power_of_two_in(sizes["cols"], kMostImages);
  const at::Tensor x = tensors.input({images, channels, sizes["cols"] / images, 1});
  const at::Tensor scale = tensors.weight_if(sizes["scale"] != 0, {channels});
  const at::Tensor bias = tensors.weight_if(sizes["bias"] != 0, {channels});
  const at::Tensor mean = at::zeros({channels}, tensors.options());
  const at::Tensor variance = at::ones({channels}, tensors.options());
  const bool training = sample.mode == Mode::training;
  return {{x}, defined({scale, bias}), [=] {
            return at::batch_norm(x, scale, bias, mean, variance, training, kMomentum, kEpsilon, true);
          }};
}

TorchLayer make_layer_norm(const SampleProblem& sample, const TensorMaker& tensors) {
  const Sizes sizes(sample.problem);
  const std::int64_t cols = sizes["cols"];
  const at::Tensor x = tensors.input({sizes["rows"], cols});
  const at::Tensor scale = tensors.weight_if(sizes["scale"] != 0, {cols});
  const at::Tensor bias = tensors.weight_if(sizes["bias"] != 0, {cols});
  return {{x}, defined({scale, bias}), [=] { return at::layer_norm(x, {cols}, scale, bias, kEpsilon); }};
}

}  // namespace

TorchLayer make_norm(const SampleProblem& sample, const TensorMaker& tensors) {
  const Sizes sizes(sample.problem);
  if (sizes["residual"] != 0) throw CannotMeasure("libtorch adds no input within a normalization");
  const std::string_view function = sizes.choice("function");
  if (function == "batch") return make_batch_norm(sample, tensors);
  if (function == "layer") return make_layer_norm(sample, tensors);
  throw CannotMeasure("rows of this normalization do not tell the shape of its input");
}

}  // namespace layersim::torch_sampler
