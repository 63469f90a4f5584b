#pragma once
// What networks of whole runs see of a device. Runs are known of few devices: in peaks, caches and clocks
// such a network would recognise the devices that it was trained on, and learn nothing that holds for the
// next. It sees what carries over, and beside it learns log factors of its terms that are linear in what
// tells how far a device stays behind its data sheet, and small unless measured runs say otherwise.

#include <span>
#include <vector>

#include "hwdb/device.h"
#include "sim/features/feature_family.h"

namespace layersim {

// Inputs of the network.
[[nodiscard]] std::span<const FeatureSpec> transferable_feature_specs();
[[nodiscard]] std::vector<float> transferable_features(const Conditions& conditions);

// What the log factors are linear in: flags of microarchitectures, issue_limit and power_excess.
[[nodiscard]] std::span<const FeatureSpec> device_factor_specs();
[[nodiscard]] std::vector<float> device_factors(const Device& device, Precision precision);

// Log of the fp32 lanes over those that get an instruction, where address and loop arithmetic takes turns
// with them (instruction_issue.h): Kepler has half of them fed, Hopper, Blackwell and the 128-lane
// multiprocessors of Ampere and Ada three quarters, Maxwell, Pascal, Volta, Turing and GA100 all. AMD's
// matrix units of fp32 are started by the schedulers of its lanes, and count as these; matrix units of lower
// precision are fed as they are.
[[nodiscard]] double issue_limit(const Device& device, Precision precision);

// Log of how many times more FLOP/s per watt of its power limit the data sheet promises than is usual of the
// microarchitecture (fp32, median of the device files), 0 for less and for microarchitectures that are not
// listed. Cards with much (T4, P4, L4) do not hold their clock under load.
[[nodiscard]] double power_excess(const Device& device);

}  // namespace layersim
