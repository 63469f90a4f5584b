#pragma once
// Device memory that a pass needs, and how much of a device there is for it.

#include <cstdint>
#include <functional>
#include <span>

#include "sim/decompose/decompose.h"
#include "sim/features/conditions.h"

namespace layersim {

// The parts add up to what must be there at the worst moment of a step. Gradients of weights count whole for
// the whole step: software that frees them between the steps (zero_grad(set_to_none=True)) may get by with
// less by at most that part. What an allocator loses by fragmentation is not predicted.
struct Memory {
  double weights_bytes = 0;    // as stored, statistics of batch norms included; mixed precision: both copies
  double gradients_bytes = 0;  // of the weights that are trained
  double optimizer_bytes = 0;  // its states
  double activations_bytes = 0;  // and their gradients: the most at any one time (step_memory.h)
  double workspace_bytes = 0;    // of library calls
  double context_bytes = 0;      // driver, libraries and their kernels

  [[nodiscard]] double total_bytes() const {
    return weights_bytes + gradients_bytes + optimizer_bytes + activations_bytes + workspace_bytes +
           context_bytes;
  }
};

// `repeats` as layer_repeats gives them.
[[nodiscard]] Memory memory_need(const Network& network, std::span<const double> repeats,
                                 const Conditions& conditions);

// The same for several devices: what they share is found once.
class NetworkMemory {
 public:
  // Of `conditions` the device does not matter.
  NetworkMemory(const Network& network, std::span<const double> repeats, const Conditions& conditions);
  [[nodiscard]] Memory on(const Device& device) const;

 private:
  Memory shared_;              // without context and workspace
  double unfolded_bytes_ = 0;  // the most that a convolution unfolds
  bool has_products_ = false;
};

// What of a device's memory programs can have.
//
// Data-centre boards with GDDR memory run with error correction, whose bits take 1/16 of the memory (NVIDIA,
// Tesla K40 board specification BD-06902: "6.25 % of the memory is used for ECC bits"); with what the driver
// takes, 92 % are left: a T4 reports 15,109 of 16,384 MiB, a K80 chip 11,441 of 12,288, an A10 22,731 of
// 24,576. HBM has room for these bits of its own, and other cards run without: 97.5 % (V100 16,160 of 16,384
// MiB, A100 40,536 of 40,960, RTX 2080 Ti 11,019 of 11,264).
[[nodiscard]] double usable_bytes(const Device& device);

// Whether a training step of PyTorch fits, but needs nine tenths of what the device has, or more. PyTorch
// whose memory is given out frees what it keeps and asks the driver anew within a step: of the runs of
// docs/accuracy.md two need 91 % and took 1.7 times as long as their operators.
[[nodiscard]] bool is_tight(const Memory& memory, const Conditions& conditions);

// The largest batch for which `fits` holds, 0 when not even one sample fits; never more than `limit`. `fits`
// must not hold again above a batch for which it does not.
[[nodiscard]] std::int64_t largest_batch(const std::function<bool(std::int64_t)>& fits, std::int64_t limit);

}  // namespace layersim
