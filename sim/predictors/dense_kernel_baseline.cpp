#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "sim/predictors/dense_kernel.h"

namespace layersim {
namespace {

constexpr int kLanes = 4;

#include "sim/predictors/dense_kernel_lanes.h"

}  // namespace

DenseKernel dense_kernel_baseline() { return {dense, log_sum_exp}; }

}  // namespace layersim
