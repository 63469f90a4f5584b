// layersim show NETWORK: its layers, with shapes, parameters, MACs and bytes.

#include "sim/cli/option_groups.h"

namespace layersim {
namespace {

int run(const Command& command, const std::vector<std::string>& arguments) {
  const auto given = read_arguments(command, {network_option_group(), output_option_group()}, arguments, 1);
  if (!given) return 0;
  const NetworkOptions network = read_network_options(*given);
  const OutputOptions output = read_output_options(*given);
  write_report(show(load_network(network, Mode::forward), network), output);
  return 0;
}

}  // namespace

Command show_command() {
  return {.name = "show",
          .summary = "the layers of a network: kinds, shapes, parameters, MACs, bytes",
          .usage = "NETWORK [OPTION...]",
          .example = "layersim show my_model.onnx --batch 8 --dim sequence=128 --json -",
          .run = run};
}

}  // namespace layersim
