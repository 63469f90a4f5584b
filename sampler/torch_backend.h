#pragma once
// What the module with the libtorch backend exports; loaded by name (dlopen), since libtorch brings some 280
// shared libraries that no other command should pay for.

#include "sampler/backend.h"

// Throws bad_use for a device that libtorch does not have. The caller owns the backend.
extern "C" __attribute__((visibility("default"))) layersim::Backend* layersim_torch_backend(
    const char* device, int threads);
