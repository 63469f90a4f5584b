#include "sim/features/device_precisions.h"

#include <string>

#include "sim/core/error.h"

namespace layersim {

bool has_precision(const Device& device, Precision precision) {
  switch (precision) {
    case Precision::fp32:
    case Precision::fp16:
      return true;
    case Precision::tf32:
      return device.peak_tf32_tensor_gflops.has_value();
    case Precision::mixed:
      return peak_gflops(device, DType::f16) || peak_gflops(device, DType::bf16);
    case Precision::fp64:
    case Precision::bf16:
    case Precision::fp8:
    case Precision::int8:
      return peak_gflops(device, compute_dtype(precision)).has_value();
  }
  return false;
}

void check_precision(const Device& device, Precision precision) {
  if (has_precision(device, precision)) return;
  std::string names;
  for (std::size_t i = 0; i < precision_names().size(); ++i) {
    if (!has_precision(device, static_cast<Precision>(i))) continue;
    names.append(names.empty() ? "" : ", ").append(precision_names()[i]);
  }
  throw bad_use(device.key + " has no " + std::string(name(precision)) +
                " by the facts of its file; it has " + names);
}

}  // namespace layersim
