#pragma once
// The public interface: what the program does, as functions.
//
//   layersim::NetworkOptions network{.network = "vgg16", .bindings = {.batch = 64}};
//   const auto report = layersim::predict(layersim::load_network(network, layersim::Mode::training), network,
//                                         layersim::load_device({.gpu = "k80"}), {});
//   std::cout << report.run->batch_ms << '\n' << layersim::to_json(report);
//
// Everything that goes wrong is thrown as a layersim::Error.

#include "sim/core/error.h"
#include "sim/pipeline.h"
#include "sim/report/report.h"
