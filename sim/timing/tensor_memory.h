#pragma once
// The tensors of a network by the memory that they lie in, and which layers keep them for the backward pass.

#include <span>
#include <vector>

#include "sim/decompose/decompose.h"

namespace layersim {

// Nodes that no layer stands for (reshapes, an activation that ran within its layer) give no memory of their
// own: their outputs share that of their first input.
class TensorMemory {
 public:
  explicit TensorMemory(const Network& network);

  // The value whose memory this one lies in; kNoValue for weights and shape arithmetic.
  [[nodiscard]] ValueId root(ValueId value) const {
    return value == kNoValue ? kNoValue : root_[static_cast<std::size_t>(value)];
  }
  // 0 where the shape is not known.
  [[nodiscard]] double bytes_of(ValueId value) const;

 private:
  void set_root(ValueId value, ValueId root);

  const Network& network_;
  std::vector<ValueId> root_;
};

// What the backward pass of a layer reads: values (not yet their roots), and bytes that are no value of the
// graph (masks, statistics, gates, what lies between the layers of one node). Empty where the layer runs no
// backward pass.
struct KeptTensors {
  std::vector<ValueId> values;
  double other_bytes = 0;  // of one execution
};
[[nodiscard]] KeptTensors kept_tensors(const Network& network, std::size_t layer);

// Whether a backward pass runs through the layer at all.
[[nodiscard]] bool runs_backward(const Layer& layer);

}  // namespace layersim
