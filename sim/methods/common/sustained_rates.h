#pragma once
// What a device can keep up, from its sheet and its microarchitecture. A sheet's peak counts nothing but
// fused multiply-adds at the boost clock; kernels also compute addresses and loop counters, and a card may
// not have the power for its clock.

#include "hwdb/device.h"

namespace layersim {

// Thread instructions that the device can start in a second, in thousand millions, by its schedulers
// (sim/features/instruction_issue.h) at the clock that the power allows.
[[nodiscard]] double issue_rate_ginstr_s(const Device& device);

// The device with peaks and clock as it sustains them:
// - the clock falls with the square root of the FLOP/s per watt that the sheet promises above the usual
//   (power_excess), between the cube root of clocks that take voltage along and the proportion of those that
//   do not;
// - the instructions of a kernel that are not fp32 take the schedulers' time: Volta, Turing and GA100 start
//   two instructions for each fp32 lane and lose nothing, others 26 %, Kepler, whose four schedulers stand
//   before 192 lanes, 51 %. Second instructions of Maxwell and Pascal are left to issue_rate_ginstr_s here;
//   issue_limit of sim/features/transferable_features.h counts them.
// Tensor cores have their sheet's rate at that clock, CPUs are left as they are.
[[nodiscard]] Device sustained_device(Device device);

}  // namespace layersim
