#include "sim/features/conditions.h"

#include <algorithm>
#include <array>

namespace layersim {
namespace {

constexpr std::array<std::string_view, 2> kModes{"forward", "training"};
constexpr std::array<std::string_view, 8> kOptimizers{"none",     "sgd",  "momentum", "adagrad",
                                                      "adadelta", "adam", "adamw",    "rmsprop"};
constexpr std::array<std::string_view, 8> kPrecisions{"fp64", "fp32",  "tf32", "fp16",
                                                      "bf16", "mixed", "fp8",  "int8"};

template <typename Enum>
std::optional<Enum> parse(std::span<const std::string_view> names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

Peak peak_or(std::optional<double> gflops, double fallback_gflops) {
  return gflops ? Peak{*gflops, false} : Peak{fallback_gflops, true};
}

}  // namespace

std::span<const std::string_view> mode_names() { return kModes; }
std::span<const std::string_view> optimizer_names() { return kOptimizers; }
std::span<const std::string_view> precision_names() { return kPrecisions; }

std::string_view name(Mode mode) { return kModes.at(static_cast<std::size_t>(mode)); }
std::string_view name(Optimizer optimizer) { return kOptimizers.at(static_cast<std::size_t>(optimizer)); }
std::string_view name(Precision precision) { return kPrecisions.at(static_cast<std::size_t>(precision)); }

std::optional<Mode> parse_mode(std::string_view name) { return parse<Mode>(kModes, name); }
std::optional<Optimizer> parse_optimizer(std::string_view name) {
  return parse<Optimizer>(kOptimizers, name);
}
std::optional<Precision> parse_precision(std::string_view name) {
  return parse<Precision>(kPrecisions, name);
}

OptimizerCost cost(Optimizer optimizer) {
  switch (optimizer) {
    case Optimizer::none:
      return {};
    case Optimizer::sgd:
      return {.states = 0, .reads = 2, .writes = 1, .flop = 2};
    case Optimizer::momentum:
      return {.states = 1, .reads = 3, .writes = 2, .flop = 4};
    case Optimizer::adagrad:
      return {.states = 1, .reads = 3, .writes = 2, .flop = 6};
    case Optimizer::rmsprop:
      return {.states = 1, .reads = 3, .writes = 2, .flop = 8};
    case Optimizer::adadelta:
      return {.states = 2, .reads = 4, .writes = 3, .flop = 14};
    case Optimizer::adam:
      return {.states = 2, .reads = 4, .writes = 3, .flop = 12};
    case Optimizer::adamw:
      return {.states = 2, .reads = 4, .writes = 3, .flop = 14};
  }
  return {};
}

DType compute_dtype(Precision precision) {
  switch (precision) {
    case Precision::fp64:
      return DType::f64;
    case Precision::fp32:
    case Precision::tf32:
      return DType::f32;
    case Precision::fp16:
    case Precision::mixed:
      return DType::f16;
    case Precision::bf16:
      return DType::bf16;
    case Precision::fp8:
      return DType::f8e4m3;
    case Precision::int8:
      return DType::i8;
  }
  return DType::unknown;
}

DType stored_dtype(Precision precision) {
  return precision == Precision::mixed ? DType::f32 : compute_dtype(precision);
}

Peak matrix_peak(const Device& device, DType dtype, Precision precision) {
  const double fp32 = peak_gflops(device, DType::f32).value();
  if (dtype == DType::f32 && precision == Precision::tf32)
    return peak_or(device.peak_tf32_tensor_gflops, fp32);
  return peak_or(peak_gflops(device, dtype), fp32);
}

Peak vector_peak(const Device& device, DType dtype) {
  const double fp32 = device.peak_fp32_gflops;
  if (dtype == DType::f64) return peak_or(device.peak_fp64_gflops, fp32);
  // Slow fp16 units (1/64 of fp32 on Pascal's gaming chips) are left aside: such kernels compute in fp32.
  if (dtype == DType::f16) return {std::max(device.peak_fp16_gflops.value_or(0), fp32), false};
  return {fp32, false};
}

}  // namespace layersim
