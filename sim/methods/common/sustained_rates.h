#pragma once
// What a device can keep up, from its sheet and its microarchitecture. A sheet's peak counts nothing but
// fused multiply-adds at the boost clock; kernels also compute addresses and loop counters, and a card may
// not have the power for its clock.

#include "hwdb/device.h"

namespace layersim {

// Thread instructions that the device can start in a second, in thousand millions. A multiprocessor of NVIDIA
// has four schedulers for 32 threads each (two of Pascal's GP100), whatever its number of fp32 lanes; other
// devices start one for each lane. Those of Maxwell and Pascal start a memory instruction in the clock of an
// arithmetic one (NVIDIA, "Maxwell tuning guide"): they are taken to do so in one clock of three (how runs
// bear that out: docs/methods.md). Kepler's second dispatch serves the lanes that are more than its
// schedulers' threads. At the clock that the power allows.
[[nodiscard]] double issue_rate_ginstr_s(const Device& device);

// The device with peaks and clock as it sustains them:
// - the clock falls with the square root of the FLOP/s per watt that the sheet promises above the usual
//   (power_excess), between the cube root of clocks that take voltage along and the proportion of those that
//   do not;
// - beside 100 fp32 instructions of a kernel there are 36 others (NVIDIA, Turing GPU architecture white
//   paper, 2018, page 11), which on GPUs take the schedulers' time: Volta, Turing and GA100 start two
//   instructions for each fp32 lane and lose nothing, others 26 %, Kepler, whose four schedulers stand before
//   192 lanes, 51 %. issue_limit of sim/features/transferable_features.h, to which the run model was fitted,
//   knows the same of fewer devices.
// Tensor cores have their sheet's rate at that clock, CPUs are left as they are.
[[nodiscard]] Device sustained_device(Device device);

}  // namespace layersim
