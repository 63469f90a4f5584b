#pragma once
// The public interface: what the program does, as functions.
//
//   layersim::NetworkOptions network;
//   network.network = "vgg16";
//   network.bindings.batch = 64;
//   layersim::DeviceOptions device;
//   device.gpu = "k80";
//   const layersim::Report report =
//       layersim::predict(layersim::load_network(network, layersim::Mode::training), network,
//                         layersim::load_device(device), layersim::RunOptions{});
//   std::cout << report.run->batch_ms << " ms\n";
//
// Everything that goes wrong is thrown as a layersim::Error.

#include "sim/core/error.h"
#include "sim/pipeline.h"
#include "sim/report/report.h"
