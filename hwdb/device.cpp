#include "hwdb/device.h"

#include <algorithm>

namespace layersim {
namespace {

using Peak = std::optional<double>;

Peak faster(Peak a, Peak b) { return std::max(a, b); }  // nothing is less than anything

}  // namespace

std::optional<double> peak_gflops(const Device& device, DType dtype) {
  switch (dtype) {
    case DType::f64:
      return faster(device.peak_fp64_gflops, device.peak_fp64_tensor_gflops);
    case DType::f32:
      return faster(device.peak_fp32_gflops, device.peak_fp32_tensor_gflops);
    case DType::f16: {
      const Peak native = faster(device.peak_fp16_gflops, device.peak_fp16_tensor_gflops);
      // Slow fp16 units (1/64 of fp32 on Pascal's gaming chips) are left aside.
      return native ? faster(native, device.peak_fp32_gflops) : native;
    }
    case DType::bf16:
      return device.peak_bf16_tensor_gflops;
    case DType::f8e4m3:
    case DType::f8e5m2:
      return device.peak_fp8_tensor_gflops;
    case DType::i8:
    case DType::u8:
      return device.peak_int8_gops;
    default:
      return std::nullopt;
  }
}

}  // namespace layersim
