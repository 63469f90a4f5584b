#pragma once
// A convolution for tests of features and predictors.

#include "layers/layer_kind.h"

namespace layersim::tests {

// 3x3, stride 1, padded to keep its size of `size` x `size` pixels; as many channels out as in.
inline Problem conv3x3(std::int64_t batch, std::int64_t size, std::int64_t channels,
                       std::int64_t groups = 1) {
  Problem problem = make_problem(*find_layer_kind("conv"), DType::f32,
                                 {{"batch", batch},
                                  {"in_channels", channels},
                                  {"out_channels", channels},
                                  {"groups", groups},
                                  {"in_h", size},
                                  {"in_w", size},
                                  {"kernel_h", 3},
                                  {"kernel_w", 3},
                                  {"stride_h", 1},
                                  {"stride_w", 1},
                                  {"pad_begin_h", 1},
                                  {"pad_begin_w", 1},
                                  {"pad_end_h", 1},
                                  {"pad_end_w", 1}});
  problem.kind->derive(problem);
  return problem;
}

}  // namespace layersim::tests
