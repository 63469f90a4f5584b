#pragma once
// A device file for a CPU that has none: what the system tells, and its rates as a few short runs measure
// them.

#include <string>

#include "sampler/backend.h"
#include "sampler/host_facts.h"

namespace layersim {

// Text of a file as those in configs/gpus, each value with its source: the system, a measurement, computed,
// or assumed where nobody tells. Takes some seconds. Throws CannotMeasure.
[[nodiscard]] std::string propose_cpu_device(Backend& backend, const HostFacts& host);

}  // namespace layersim
