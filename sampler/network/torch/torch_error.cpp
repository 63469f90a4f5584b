#include "sampler/network/torch/torch_error.h"

#include <string>

namespace layersim {

Error torch_error(const c10::Error& error) {
  std::string message = error.what_without_backtrace();
  const bool out_of_memory = message.find("out of memory") != std::string::npos ||
                             message.find("not enough memory") != std::string::npos ||
                             message.find("can't allocate memory") != std::string::npos;
  if (out_of_memory) {
    return {ErrorKind::nothing_predicted, "the device's memory does not suffice; try a smaller --batch"};
  }
  message.resize(std::min(message.find('\n'), message.size()));
  return {ErrorKind::nothing_predicted, "libtorch cannot run it: " + message};
}

}  // namespace layersim
