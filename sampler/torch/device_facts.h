#pragma once
// What libtorch and the system tell of a device.

#include <c10/core/Device.h>

#include "sampler/backend.h"

namespace layersim::torch_sampler {

[[nodiscard]] BackendFacts cpu_facts();
// cuda_device.cpp, built where libtorch has CUDA.
[[nodiscard]] BackendFacts cuda_facts(const c10::Device& device);
// Gives memory that the allocator holds back to the device, so that the next problem starts as the first.
void empty_cuda_cache();

}  // namespace layersim::torch_sampler
