#pragma once
// What the module that runs networks with libtorch exports; loaded by name (dlopen).

#include "sampler/network/runnable_network.h"

extern "C" __attribute__((visibility("default"))) layersim::RunnableNetwork* layersim_make_torch_network(
    const layersim::Graph& graph, const layersim::NetworkRunSettings& settings);
