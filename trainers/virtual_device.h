#pragma once
// Adapts one trained network to a device of which a few rows were measured. The network stays as it is; to it
// the device becomes a virtual one: a blend of the devices that it knows, with one factor per physical term.
//
// log t = c + log sum_k exp(o_k(z) + log term_k + d_k),  z = z_device + sum_j a_j (z_j - mean of all z_j)
//
// where z are the inputs that tell devices apart (device_inputs() in sim/predictors/trained_network.h) and j
// runs over the known devices. c, d_k and a_j are the most probable ones under normal priors around 0, so
// that a few rows move them a little and many rows as far as needed.

#include <span>

#include "sim/predictors/trained_network.h"
#include "trainers/dataset.h"

namespace layersim {

// `samples`, indices into SampleSet::samples, are of one device and of the network's family; twenty or more
// are best. Calibrations that the network already has are not used. The width factor of the result is 1.
[[nodiscard]] TrainedNetwork::Calibration fit_calibration(const TrainedNetwork& network, const SampleSet& set,
                                                          std::span<const std::size_t> samples);

}  // namespace layersim
