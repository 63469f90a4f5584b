// RNN, LSTM and GRU as modules, which lay out their weights as the device's library wants them.

#include "sampler/torch/torch_layer.h"
//
#include <torch/nn/modules/rnn.h>

namespace layersim::torch_sampler {
namespace {

template <typename Module>
TorchLayer of_module(Module module, const at::Tensor& x, const TensorMaker& tensors) {
  module->to(tensors.options().device(), at::typeMetaToScalarType(tensors.options().dtype()));
  return {{x}, module->parameters(), [module, x]() mutable { return std::get<0>(module->forward(x)); }};
}

}  // namespace

TorchLayer make_recurrent(const SampleProblem& sample, const TensorMaker& tensors) {
  const Sizes sizes(sample.problem);
  if (sizes["peepholes"] != 0) throw CannotMeasure("libtorch has no peepholes");
  const std::string_view cell = sizes.choice("cell");
  const std::int64_t in = sizes["in_features"];
  const std::int64_t hidden = sizes["hidden"];
  const bool bias = sizes["bias"] != 0;
  const bool two_ways = sizes["directions"] == 2;
  const at::Tensor x = tensors.input({sizes["steps"], sizes["batch"], in});
  if (cell == "lstm") {
    return of_module(torch::nn::LSTM(torch::nn::LSTMOptions(in, hidden).bias(bias).bidirectional(two_ways)),
                     x, tensors);
  }
  if (cell == "gru") {
    return of_module(torch::nn::GRU(torch::nn::GRUOptions(in, hidden).bias(bias).bidirectional(two_ways)), x,
                     tensors);
  }
  return of_module(torch::nn::RNN(torch::nn::RNNOptions(in, hidden).bias(bias).bidirectional(two_ways)), x,
                   tensors);
}

}  // namespace layersim::torch_sampler
