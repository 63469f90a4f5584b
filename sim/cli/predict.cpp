// layersim predict NETWORK --gpu GPU: how long a batch and an epoch take, and in which layers.

#include "sim/cli/option_groups.h"

namespace layersim {
namespace {

int run(const Command& command, const std::vector<std::string>& arguments) {
  const auto given = read_arguments(
      command, {network_option_group(), device_option_group(), run_option_group(), output_option_group()},
      arguments, 1);
  if (!given) return 0;
  const NetworkOptions network = read_network_options(*given);
  const DeviceOptions device = read_device_options(*given);
  const RunOptions run_options = read_run_options(*given);
  const OutputOptions output = read_output_options(*given);
  const Device loaded_device = load_device(device);  // before the network: a mistyped name costs no reading
  write_report(predict(load_network(network, run_options.mode), network, loaded_device, run_options), output);
  return 0;
}

}  // namespace

Command predict_command() {
  return {.name = "predict",
          .summary = "layer, batch and epoch time and memory of a network on a device (the default command)",
          .usage = "NETWORK --gpu GPU [OPTION...]",
          .example = "layersim predict vgg16 --gpu v100-sxm2 --batch 32 --optimizer adam",
          .run = run};
}

}  // namespace layersim
