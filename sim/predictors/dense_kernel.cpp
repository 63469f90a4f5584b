#include "sim/predictors/dense_kernel.h"

namespace layersim {
namespace {

DenseKernel widest_kernel() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") != 0) return dense_kernel_avx512();
  if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0) return dense_kernel_avx2();
#endif
  return dense_kernel_baseline();
}

}  // namespace

const DenseKernel& dense_kernel() {
  static const DenseKernel kKernel = widest_kernel();
  return kKernel;
}

}  // namespace layersim
