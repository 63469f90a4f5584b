#pragma once
// How many instructions the multiprocessors of a GPU start, and how many lanes they have for those in fp32. A
// sheet's peak counts nothing but fused multiply-adds; kernels also compute addresses and loop counters.

#include "hwdb/device.h"

namespace layersim {

// Instructions of all kinds of a kernel for each one in fp32: beside 100 there are 36 others (NVIDIA, Turing
// GPU architecture white paper, 2018, page 11).
inline constexpr double kInstructionsPerFp32 = 1.36;

// fp32 lanes of a multiprocessor.
[[nodiscard]] double lanes_of_multiprocessor(const Device& device);

// Thread instructions that a multiprocessor starts in a clock. NVIDIA's has four schedulers for 32 threads
// each (two of Pascal's GP100), whatever its number of fp32 lanes; other devices start one for each lane.
[[nodiscard]] double issued_threads_of_multiprocessor(const Device& device);

// Instructions in a clock of a scheduler whose second dispatch unit no lanes need: those of Maxwell and
// Pascal start a memory instruction in the clock of an arithmetic one (NVIDIA, "Maxwell tuning guide") and
// are taken to do so in one clock of three (how runs bear that out: docs/methods.md). Kepler's second
// dispatch serves the lanes that are more than its schedulers' threads. 1 for all others.
[[nodiscard]] double instructions_of_scheduler(const Device& device);

}  // namespace layersim
