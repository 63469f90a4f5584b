#include "hwdb/device.h"

#include <algorithm>
#include <array>

#include "sim/core/error.h"

namespace layersim {
namespace {

using Peak = std::optional<double>;

Peak faster(Peak a, Peak b) { return std::max(a, b); }  // nothing is less than anything

Peak peak_fp16(const Device& device) {
  const Peak native = faster(device.peak_fp16_gflops, device.peak_fp16_tensor_gflops);
  return device.device_type == "gpu" ? faster(native, device.peak_fp32_gflops) : native;
}

struct PrecisionRow {
  std::string_view name;
  Peak (*peak)(const Device&);
};

constexpr std::array kPrecisions{
    PrecisionRow{"fp32",
                 [](const Device& d) { return faster(d.peak_fp32_gflops, d.peak_fp32_tensor_gflops); }},
    PrecisionRow{"tf32", [](const Device& d) { return d.peak_tf32_tensor_gflops; }},
    PrecisionRow{"fp16", peak_fp16},
    PrecisionRow{"bf16", [](const Device& d) { return d.peak_bf16_tensor_gflops; }},
    PrecisionRow{"mixed", [](const Device& d) { return faster(peak_fp16(d), d.peak_bf16_tensor_gflops); }},
    PrecisionRow{"fp8", [](const Device& d) { return d.peak_fp8_tensor_gflops; }},
    PrecisionRow{"int8", [](const Device& d) { return d.peak_int8_gops; }},
    PrecisionRow{"fp64",
                 [](const Device& d) { return faster(d.peak_fp64_gflops, d.peak_fp64_tensor_gflops); }},
};

}  // namespace

std::optional<double> peak_gflops(const Device& device, std::string_view precision) {
  for (const PrecisionRow& row : kPrecisions) {
    if (row.name == precision) return row.peak(device);
  }
  std::string known;
  for (const PrecisionRow& row : kPrecisions) known += (known.empty() ? "" : ", ") + std::string(row.name);
  throw bad_use("precision '" + std::string(precision) + "' is not known; there are " + known);
}

}  // namespace layersim
