#pragma once
// The tensors that a network keeps: weights of random contents, and constants, with their true contents where
// the graph knows them.

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "sim/graph/graph.h"

namespace layersim {

class StoredTensors {
 public:
  // `graph` must stay. With `training`, weights get gradients.
  StoredTensors(const Graph& graph, at::Device device, bool training, std::uint64_t seed);

  // The tensor of a stored value, always the same one. The second operand of a product is laid out in memory
  // as nn.Linear has its weight, [out, in], and is the transposed view of it.
  [[nodiscard]] at::Tensor get(ValueId id);
  // What fills it: a tensor of its own, without gradient.
  [[nodiscard]] at::Tensor contents(ValueId id);
  // The tensor is a weight from now on if the value that it is a part of is one.
  at::Tensor add_part(ValueId id, at::Tensor part);
  // Weights with a gradient that were added since the last call.
  [[nodiscard]] std::vector<at::Tensor> take_new_weights() { return std::exchange(new_weights_, {}); }

  [[nodiscard]] at::Generator& generator() { return generator_; }
  [[nodiscard]] at::Device device() const { return device_; }

 private:
  [[nodiscard]] bool is_learned(ValueId id) const;
  [[nodiscard]] at::Tensor random(const Shape& shape, at::ScalarType dtype);

  const Graph& graph_;
  at::Device device_;
  bool training_;
  at::Generator generator_;
  std::unordered_set<ValueId> statistics_;       // of batch norms
  std::unordered_set<ValueId> linear_operands_;  // second operands of products
  std::unordered_map<ValueId, at::Tensor> tensors_;
  std::vector<at::Tensor> new_weights_;
};

}  // namespace layersim
