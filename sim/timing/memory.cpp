#include "sim/timing/memory.h"

#include <algorithm>

#include "sim/timing/step_memory.h"

namespace layersim {
namespace {

constexpr double kMib = 1024.0 * 1024.0;

// A CUDA process holds 300 to 500 MiB before the first tensor: about 400 MiB by pytorch/pytorch issues 20532
// and 109888.
constexpr double kGpuContextBytes = 400 * kMib;

// PyTorch gives cuBLAS two buffers of 4096 KiB and eight of 16 KiB, on Hopper and later eight of 4096 KiB
// (CublasHandlePool.cpp, after the defaults of CUBLAS_WORKSPACE_CONFIG in NVIDIA's cuBLAS documentation).
constexpr double kBlasWorkspaceBytes = (2 * 4096 + 8 * 16) * 1024.0;
constexpr double kHopperBlasWorkspaceBytes = 8 * 4096 * 1024.0;

bool is_hopper_or_later(const Device& device) {
  return device.manufacturer == "nvidia" &&
         (device.technology == "hopper" || device.technology == "blackwell");
}

// The patches of one sample that a convolution multiplies as a matrix: the workspace of the plain algorithm
// (Chetlur et al. 2014, cuDNN, section 3), and about what the measured peaks in tests/timing leave room for.
// A library that is free to choose may take more.
double unfolded_sample_bytes(const Layer& layer) {
  const Problem& problem = layer.problem;
  const bool is_forward = problem.kind != nullptr && problem.kind->name == "conv";
  const bool is_transposed = problem.kind != nullptr && problem.kind->name == "conv_transpose";
  if (!is_forward && !is_transposed) return 0;
  // A convolution's MACs are those of a product of its weights, with a row for each output channel, and the
  // patches; a transposed one has a row for each input channel.
  const std::int64_t rows = problem.size(is_forward ? "out_channels" : "in_channels");
  const double products = static_cast<double>(problem.size("batch") * rows);
  return layer.work.forward.macs / products * static_cast<double>(problem.size("groups")) *
         bytes(problem.dtype);
}

double workspace_bytes(const Network& network, const Device& device) {
  if (device.device_type == "cpu") return 0;
  double most = 0;
  bool has_products = false;
  for (const Layer& layer : network.layers) {
    most = std::max(most, unfolded_sample_bytes(layer));
    has_products = has_products || layer.work.forward.macs > 0;
  }
  if (!has_products) return 0;
  return most + (is_hopper_or_later(device) ? kHopperBlasWorkspaceBytes : kBlasWorkspaceBytes);
}

}  // namespace

Memory memory_need(const Network& network, std::span<const double> repeats, const Conditions& conditions) {
  const double number_bytes = bytes(stored_dtype(conditions.precision));
  Memory memory;
  memory.weights_bytes = network.weight_bytes;
  if (conditions.precision == Precision::mixed) {
    memory.weights_bytes += network.params * number_bytes;  // beside the fp16 copies
  }
  if (conditions.device->device_type != "cpu") memory.context_bytes = kGpuContextBytes;
  memory.workspace_bytes = workspace_bytes(network, *conditions.device);
  if (conditions.mode == Mode::forward) {
    memory.activations_bytes = peak_forward_bytes(network, repeats);
    return memory;
  }
  const double trained_bytes = (network.params - network.frozen_params) * number_bytes;
  memory.gradients_bytes = trained_bytes;
  memory.optimizer_bytes = cost(conditions.optimizer).states * trained_bytes;
  memory.activations_bytes = peak_training_bytes(network, repeats);
  return memory;
}

double usable_bytes(const Device& device) {
  const bool corrects_errors = device.market == "datacenter" && device.memory_type.starts_with("gddr");
  return device.memory_gib * 1024 * kMib * (corrects_errors ? 0.92 : 0.975);
}

std::int64_t largest_batch(const std::function<bool(std::int64_t)>& fits, std::int64_t limit) {
  std::int64_t good = 0;
  std::int64_t bad = 1;
  while (bad <= limit && fits(bad)) {
    good = bad;
    bad *= 2;
  }
  bad = std::min(bad, limit + 1);
  while (bad - good > 1) {
    const std::int64_t middle = good + (bad - good) / 2;
    (fits(middle) ? good : bad) = middle;
  }
  return good;
}

}  // namespace layersim
