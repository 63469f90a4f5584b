#pragma once
// A layer kind's problem as libtorch tensors and a function. One maker a kind; kinds of the same physics
// share a file, and the table of all is layer_makers.cpp. Nothing here may call the program that loads the
// module.

#include <ATen/ATen.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sampler/backend.h"

namespace layersim::torch_sampler {

struct TorchLayer {
  std::vector<at::Tensor> inputs;   // in training each gets a gradient
  std::vector<at::Tensor> weights;  // that the optimizer updates
  std::function<at::Tensor()> forward;
};

// Makes the tensors of a problem where and as they are to be.
class TensorMaker {
 public:
  explicit TensorMaker(at::TensorOptions options) : options_(options) {}

  [[nodiscard]] at::Tensor input(at::IntArrayRef shape) const { return random(shape, 1.0); }
  [[nodiscard]] at::Tensor weight(at::IntArrayRef shape) const { return random(shape, 0.02); }
  // Undefined where the layer has none.
  [[nodiscard]] at::Tensor weight_if(bool wanted, at::IntArrayRef shape) const {
    return wanted ? weight(shape) : at::Tensor();
  }
  // Whole numbers in [0, end).
  [[nodiscard]] at::Tensor indices(std::int64_t count, std::int64_t end) const;
  [[nodiscard]] const at::TensorOptions& options() const { return options_; }

 private:
  [[nodiscard]] at::Tensor random(at::IntArrayRef shape, double scale) const;

  at::TensorOptions options_;
};

// The parameters of a problem by name.
class Sizes {
 public:
  explicit Sizes(const Problem& problem) : problem_(problem) {}
  std::int64_t operator[](std::string_view name) const {
    for (std::size_t i = 0; i < problem_.sizes.size(); ++i) {
      if (problem_.kind->parameters[i].name == name) return problem_.sizes[i];
    }
    throw CannotMeasure("its kind has no " + std::string(name));
  }
  // Of a parameter whose numbers have names.
  [[nodiscard]] std::string_view choice(std::string_view name) const {
    for (const Parameter& parameter : problem_.kind->parameters) {
      if (parameter.name == name) return parameter.choices.at(static_cast<std::size_t>((*this)[name]));
    }
    return {};
  }

 private:
  const Problem& problem_;
};

using LayerMaker = TorchLayer (*)(const SampleProblem& sample, const TensorMaker& tensors);
// nullptr when libtorch layers of that kind are not known here.
[[nodiscard]] LayerMaker find_layer_maker(std::string_view kind);

TorchLayer make_conv(const SampleProblem& sample, const TensorMaker& tensors);
TorchLayer make_conv_transpose(const SampleProblem& sample, const TensorMaker& tensors);
TorchLayer make_dense(const SampleProblem& sample, const TensorMaker& tensors);
TorchLayer make_matmul(const SampleProblem& sample, const TensorMaker& tensors);
TorchLayer make_pool(const SampleProblem& sample, const TensorMaker& tensors);
TorchLayer make_recurrent(const SampleProblem& sample, const TensorMaker& tensors);
TorchLayer make_norm(const SampleProblem& sample, const TensorMaker& tensors);
TorchLayer make_activation(const SampleProblem& sample, const TensorMaker& tensors);
TorchLayer make_elementwise(const SampleProblem& sample, const TensorMaker& tensors);
TorchLayer make_softmax(const SampleProblem& sample, const TensorMaker& tensors);
TorchLayer make_reduce(const SampleProblem& sample, const TensorMaker& tensors);
TorchLayer make_embedding(const SampleProblem& sample, const TensorMaker& tensors);
TorchLayer make_attention(const SampleProblem& sample, const TensorMaker& tensors);
TorchLayer make_concat(const SampleProblem& sample, const TensorMaker& tensors);
TorchLayer make_data_movement(const SampleProblem& sample, const TensorMaker& tensors);
TorchLayer make_resize(const SampleProblem& sample, const TensorMaker& tensors);

// The tensor itself for `none`.
[[nodiscard]] at::Tensor activate(Activation activation, const at::Tensor& tensor);

// Those of the tensors that are defined: a bias may not be there.
[[nodiscard]] inline std::vector<at::Tensor> defined(std::vector<at::Tensor> tensors) {
  std::erase_if(tensors, [](const at::Tensor& tensor) { return !tensor.defined(); });
  return tensors;
}

// The largest power of two up to `most` that divides the number.
[[nodiscard]] inline std::int64_t power_of_two_in(std::int64_t number, std::int64_t most) {
  std::int64_t power = 1;
  while (2 * power <= most && number % (2 * power) == 0) power *= 2;
  return power;
}

}  // namespace layersim::torch_sampler
