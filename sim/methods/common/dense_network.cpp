#include "sim/methods/common/dense_network.h"

#include <algorithm>

#include "sim/core/error.h"

namespace layersim {
namespace {

constexpr float kFarthest = 3;  // standard deviations

double predict_member(const Mlp& layers, std::span<const float> inputs) {
  std::vector<float> values(inputs.begin(), inputs.end());
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const DenseLayer& layer = layers[l];
    std::vector<float> outputs(layer.bias);
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      const float* weights = layer.weights.data() + o * values.size();
      for (std::size_t i = 0; i < values.size(); ++i) outputs[o] += weights[i] * values[i];
      if (l + 1 < layers.size()) outputs[o] = std::max(outputs[o], 0.0F);
    }
    values = std::move(outputs);
  }
  return static_cast<double>(values.front());
}

std::string layer_name(const std::string& name, std::size_t member, std::size_t layer) {
  return name + '_' + std::to_string(member) + '_' + std::to_string(layer);
}

}  // namespace

std::vector<float> Normalisation::apply(std::span<const float> features) const {
  std::vector<float> inputs(features.begin(), features.end());
  for (std::size_t i = 0; i < inputs.size(); ++i)
    inputs[i] = std::clamp((inputs[i] - mean[i]) / scale[i], -kFarthest, kFarthest);
  return inputs;
}

double DenseNetwork::predict(std::span<const float> inputs) const {
  double sum = 0;
  for (const Mlp& member : members) sum += predict_member(member, inputs);
  return sum / static_cast<double>(members.size());
}

void store_dense_network(ArrayGroup& group, const std::string& name, const DenseNetwork& network) {
  for (std::size_t m = 0; m < network.members.size(); ++m) {
    for (std::size_t l = 0; l < network.members[m].size(); ++l) {
      const DenseLayer& layer = network.members[m][l];
      group.arrays[layer_name(name, m, l) + "_weights"] = {layer.weights,
                                                           static_cast<std::size_t>(layer.inputs)};
      group.arrays[layer_name(name, m, l) + "_bias"] = {layer.bias, 1};
    }
  }
}

DenseNetwork load_dense_network(const ArrayGroup& group, const std::string& name, std::size_t inputs) {
  DenseNetwork network;
  for (std::size_t m = 0; group.arrays.count(layer_name(name, m, 0) + "_weights") > 0; ++m) {
    Mlp layers;
    std::size_t width = inputs;
    for (std::size_t l = 0; group.arrays.count(layer_name(name, m, l) + "_weights") > 0; ++l) {
      const StoredArray& weights = group.array(layer_name(name, m, l) + "_weights");
      const StoredArray& bias = group.array(layer_name(name, m, l) + "_bias");
      if (weights.columns != width || weights.rows() != bias.values.size())
        throw bad_input("layers of the dense network '" + name + "' do not fit each other");
      layers.push_back(
          {static_cast<int>(width), static_cast<int>(bias.values.size()), weights.values, bias.values});
      width = bias.values.size();
    }
    if (width != 1) throw bad_input("the dense network '" + name + "' has not one output");
    network.members.push_back(std::move(layers));
  }
  if (network.members.empty()) throw bad_input("has no dense network '" + name + "'");
  return network;
}

}  // namespace layersim
