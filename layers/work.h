#pragma once
// Bricks for the work formulas of kinds.

#include "layers/layer_kind.h"

namespace layersim {

// A size as a real number, for formulas that multiply several; `index` is the kind's own enumeration.
template <typename Index>
[[nodiscard]] double at(const Problem& problem, Index index) {
  return static_cast<double>(problem.sizes[static_cast<std::size_t>(index)]);
}

// A layer that multiplies by a weight tensor: convolution, dense. Elements counted once each.
struct WeightedProduct {
  double macs;
  double input_elements;
  double weight_elements;  // without bias
  double bias_elements;
  double output_elements;
};
// forward:         output = product(input, weights) + bias, then the activation
// backward_data:   input gradient = product(gradient, weights)
// backward_weight: gradient of the pre-activation = f'(output) x gradient; weight gradient = product(input,
// gradient);
//                  bias gradient = sums of the gradient
// Each of the three products has the same MACs.
[[nodiscard]] LayerWork weighted_product_work(const Problem& problem, const WeightedProduct& product);

// A layer of element-wise cost: reads and writes so many elements of the problem's data type in either
// direction.
struct ElementWork {
  double flop_forward;
  double flop_backward;
  double read_forward;
  double written_forward;
  double read_backward;
  double written_backward;
};
[[nodiscard]] LayerWork element_work(const Problem& problem, const ElementWork& work);

}  // namespace layersim
