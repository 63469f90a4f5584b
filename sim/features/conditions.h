#pragma once
// Under which conditions a layer runs: device, number format, mode, optimizer and software. One Conditions
// serves a whole batch of layers.

#include <optional>
#include <span>
#include <string_view>

#include "hwdb/device.h"
#include "sim/core/dtype.h"

namespace layersim {

enum class Mode : unsigned char { forward, training };

enum class Optimizer : unsigned char { none, sgd, momentum, adagrad, adadelta, adam, adamw, rmsprop };

// How floating-point layers are run. `tf32` stores fp32 and multiplies in tf32; `mixed` computes in fp16 and
// keeps weights, gradients and optimizer state in fp32.
enum class Precision : unsigned char { fp64, fp32, tf32, fp16, bf16, mixed, fp8, int8 };

// All names, in the order of the enumeration.
[[nodiscard]] std::span<const std::string_view> mode_names();
[[nodiscard]] std::span<const std::string_view> optimizer_names();
[[nodiscard]] std::span<const std::string_view> precision_names();

[[nodiscard]] std::string_view name(Mode mode);
[[nodiscard]] std::string_view name(Optimizer optimizer);
[[nodiscard]] std::string_view name(Precision precision);

[[nodiscard]] std::optional<Mode> parse_mode(std::string_view name);
[[nodiscard]] std::optional<Optimizer> parse_optimizer(std::string_view name);
[[nodiscard]] std::optional<Precision> parse_precision(std::string_view name);

struct Conditions {
  const Device* device = nullptr;
  Precision precision = Precision::fp32;
  Mode mode = Mode::training;
  Optimizer optimizer = Optimizer::sgd;  // none in forward mode
  std::string_view stack = {};           // "tf2.5"; empty: none in particular
  int n_gpus = 1;
};

// What an optimizer does to one learned number in a step, in its plainest form: read the weight, its gradient
// and the states, write the weight and the states.
struct OptimizerCost {
  int states = 0;  // numbers kept per learned number
  int reads = 0;
  int writes = 0;
  int flop = 0;
};
[[nodiscard]] OptimizerCost cost(Optimizer optimizer);

// Activations and the weights that products read.
[[nodiscard]] DType compute_dtype(Precision precision);
// Learned numbers as the optimizer holds them, their gradients and states.
[[nodiscard]] DType stored_dtype(Precision precision);

// GFLOP/s of products (MACs) of tensors of this type, by whatever unit of the device is fastest. `fallback`
// tells that no rate is known for it and the fp32 rate stands in.
struct Peak {
  double gflops = 0;
  bool fallback = false;
};
[[nodiscard]] Peak matrix_peak(const Device& device, DType dtype, Precision precision);
// GFLOP/s of all other arithmetic.
[[nodiscard]] Peak vector_peak(const Device& device, DType dtype);

}  // namespace layersim
