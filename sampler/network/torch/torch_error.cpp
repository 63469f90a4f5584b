#include "sampler/network/torch/torch_error.h"

#include <string>

namespace layersim {

Error torch_error(const c10::Error& error) {
  std::string message = error.what_without_backtrace();
  const bool no_memory = message.find("out of memory") != std::string::npos ||
                         message.find("not enough memory") != std::string::npos ||
                         message.find("can't allocate memory") != std::string::npos;
  if (no_memory) return out_of_memory();
  message.resize(std::min(message.find('\n'), message.size()));
  return {ErrorKind::nothing_predicted, "libtorch cannot run it: " + message};
}

Error out_of_memory() {
  return {ErrorKind::nothing_predicted, "does not fit into memory; try a smaller --batch"};
}

}  // namespace layersim
