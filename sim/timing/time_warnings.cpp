#include "sim/timing/time_warnings.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <string>
#include <string_view>

namespace layersim {
namespace {

constexpr std::string_view kPytorch = "pytorch";

// From PyTorch 1.7 on, torch.backends.cudnn.allow_tf32 is on unless the user turns it off, while that of
// matrix products (torch.backends.cuda.matmul) is off from 1.12 on: PyTorch documentation, "CUDA semantics",
// section "TensorFloat-32 (TF32) on Ampere (and later) devices".
bool runs_convolutions_in_tf32(std::string_view stack) {
  if (!stack.starts_with(kPytorch)) return false;
  stack.remove_prefix(kPytorch.size());
  int major = 2;
  int minor = 0;
  const char* const end = stack.data() + stack.size();
  const auto after_major = std::from_chars(stack.data(), end, major);
  if (after_major.ptr != end && *after_major.ptr == '.') std::from_chars(after_major.ptr + 1, end, minor);
  return major > 1 || minor >= 7;
}

bool is_convolution(const LayerQuery& query) {
  const LayerKind* kind = query.problem->kind;
  return kind != nullptr && (kind->name == "conv" || kind->name == "conv_transpose");
}

}  // namespace

void warn_of_estimates(std::span<const LayerQuery> queries, std::span<const LayerPrediction> layers,
                       Warnings& warnings) {
  std::set<std::string_view> kinds;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const LayerKind* kind = queries[i].problem->kind;
    if (kind != nullptr && layers[i].basis == Basis::estimated) kinds.insert(kind->name);
  }
  if (kinds.empty()) return;
  std::string names;
  for (const std::string_view kind : kinds) names.append(names.empty() ? "" : ", ").append(kind);
  warnings.add("the predictor has not learned these kinds of layers, whose times are estimates: " + names);
}

void warn_of_precision(std::span<const LayerQuery> queries, const Conditions& conditions,
                       Warnings& warnings) {
  const Device& device = *conditions.device;
  const Precision precision = conditions.precision;
  if (matrix_peak(device, compute_dtype(precision), precision).fallback) {
    warnings.add(device.key + " has no published " + std::string(name(precision)) +
                 " rate: its fp32 rate is used");
  }
  const bool has_tf32 = device.manufacturer == "nvidia" && device.peak_tf32_tensor_gflops.has_value();
  if (precision == Precision::fp32 && has_tf32 && runs_convolutions_in_tf32(conditions.stack) &&
      std::any_of(queries.begin(), queries.end(), is_convolution)) {
    warnings.add(
        "these times are for fp32 throughout; PyTorch runs convolutions in tf32 where the GPU has it unless "
        "torch.backends.cudnn.allow_tf32 is turned off: --precision tf32 has all products in it");
  }
}

}  // namespace layersim
