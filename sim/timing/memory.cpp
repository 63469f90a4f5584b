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

}  // namespace

NetworkMemory::NetworkMemory(const Network& network, std::span<const double> repeats,
                             const Conditions& conditions) {
  for (const Layer& layer : network.layers) {
    unfolded_bytes_ = std::max(unfolded_bytes_, unfolded_sample_bytes(layer));
    has_products_ = has_products_ || layer.work.forward.macs > 0;
  }
  const double number_bytes = bytes(stored_dtype(conditions.precision));
  shared_.weights_bytes = network.weight_bytes;
  if (conditions.precision == Precision::mixed) {
    shared_.weights_bytes += network.params * number_bytes;  // beside the fp16 copies
  }
  if (conditions.mode == Mode::forward) {
    shared_.activations_bytes = peak_forward_bytes(network, repeats);
    return;
  }
  const double trained_bytes = (network.params - network.frozen_params) * number_bytes;
  shared_.gradients_bytes = trained_bytes;
  shared_.optimizer_bytes = cost(conditions.optimizer).states * trained_bytes;
  shared_.activations_bytes = peak_training_bytes(network, repeats);
}

Memory NetworkMemory::on(const Device& device) const {
  Memory memory = shared_;
  if (device.device_type == "cpu") return memory;
  memory.context_bytes = kGpuContextBytes;
  if (!has_products_) return memory;
  memory.workspace_bytes =
      unfolded_bytes_ + (is_hopper_or_later(device) ? kHopperBlasWorkspaceBytes : kBlasWorkspaceBytes);
  return memory;
}

Memory memory_need(const Network& network, std::span<const double> repeats, const Conditions& conditions) {
  return NetworkMemory(network, repeats, conditions).on(*conditions.device);
}

double usable_bytes(const Device& device) {
  const bool corrects_errors = device.market == "datacenter" && device.memory_type.starts_with("gddr");
  return device.memory_gib * 1024 * kMib * (corrects_errors ? 0.92 : 0.975);
}

bool is_tight(const Memory& memory, const Conditions& conditions) {
  constexpr double kTightShare = 0.9;
  const double share = memory.total_bytes() / usable_bytes(*conditions.device);
  return conditions.device->device_type == "gpu" && conditions.stack.starts_with("pytorch") &&
         conditions.mode == Mode::training && share >= kTightShare && share <= 1;
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
