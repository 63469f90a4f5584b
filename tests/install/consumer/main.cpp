#include <cstdio>

#include "sim/layersim.h"

int main() {
  layersim::NetworkOptions network;
  network.network = "vgg16";
  network.bindings.batch = 64;
  layersim::DeviceOptions device;
  device.gpu = "k80";
  try {
    const layersim::Report report =
        layersim::predict(layersim::load_network(network, layersim::Mode::training), network,
                          layersim::load_device(device), layersim::RunOptions{});
    std::printf("batch of 64 on k80: %.1f ms\n", report.run->batch_ms);
  } catch (const layersim::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return error.exit_code();
  }
}
