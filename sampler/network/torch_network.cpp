#include "sampler/network/torch_network_module.h"
#include "sim/core/error.h"
#include "sim/core/module_loader.h"

namespace layersim {

std::unique_ptr<RunnableNetwork> make_torch_network(const Graph& graph, const NetworkRunSettings& settings) {
  using Entry = decltype(&layersim_make_torch_network);
  const auto make = reinterpret_cast<Entry>(  // NOLINT: as POSIX has it
      find_module_entry("layersim_torch_network.so", "layersim_make_torch_network"));
  if (make == nullptr) {
    throw bad_use(
        "this program was built or installed without libtorch, which runs networks: install libtorch-dev and "
        "build again");
  }
  return std::unique_ptr<RunnableNetwork>(make(graph, settings));
}

}  // namespace layersim
