#pragma once
// Which of the networks of a predictor file answers for a layer family on a device, and as which stack. A
// network that knows few stacks knows them better than one that knows all.

#include <string>
#include <string_view>

#include "hwdb/device.h"
#include "sim/predictors/predictor_file.h"

namespace layersim {

struct NetworkChoice {
  const TrainedNetwork* network = nullptr;  // nullptr: no network for the family
  std::string stack;
  bool device_known = false;  // rows of this device and stack were in the training
};

// `stack` empty: the one of which this device has the most rows in training; for a device without any, the
// stack of the known device that is most like it (same technology, then peak and bandwidth). A stack that no
// network of the family knows is replaced in the same way.
[[nodiscard]] NetworkChoice choose_network(const PredictorFile& predictor, std::string_view family,
                                           const Device& device, std::string_view stack,
                                           const std::vector<Device>& known_devices);

}  // namespace layersim
