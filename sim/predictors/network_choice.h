#pragma once
// Which of the networks of a predictor file answers for a layer family on a device, and as which stack. A
// network that knows few stacks knows them better than one that knows all.

#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "hwdb/device_db.h"
#include "sim/predictors/predictor_file.h"

namespace layersim {

struct NetworkChoice {
  const TrainedNetwork* network = nullptr;  // nullptr: no network for the family
  std::string stack;
  bool device_known = false;  // rows of this device and stack were in the training
};

// Answers for one predictor file, any thread at a time; devices are read from configs/gpus only where names
// do not settle the choice.
class NetworkChooser {
 public:
  // `predictor` must stay.
  explicit NetworkChooser(const PredictorFile& predictor) : predictor_(predictor) {}

  // `stack` empty: the one of which this device has the most rows in training; for a device without any, the
  // stack of the known device that is most like it (same technology, then peak and bandwidth). A stack that
  // no network of the family knows is replaced in the same way.
  [[nodiscard]] NetworkChoice choose(std::string_view family, const Device& device, std::string_view stack);

 private:
  const Device& known_device(const std::string& key);

  const PredictorFile& predictor_;
  DeviceDb devices_;
  std::mutex mutex_;  // of the following, whose elements stay in place
  std::map<std::string, Device> known_devices_;
};

}  // namespace layersim
