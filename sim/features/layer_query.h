#pragma once
// What a predictor is asked about one layer.

#include "layers/layer_kind.h"

namespace layersim {

struct LayerQuery {
  const Problem* problem = nullptr;  // problem->kind is nullptr for an operator without a model
  const LayerWork* work = nullptr;
  double learned_elements = 0;        // updated by the optimizer with this layer
  bool needs_input_gradient = true;   // not where only network inputs and frozen layers come before
  bool needs_weight_gradient = true;  // weights that are trained, shared ones included
  double gradient_sum_elements = 0;   // added up backward, where several layers read an output of this one
};

}  // namespace layersim
